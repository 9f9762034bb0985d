#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each of examples/queries/ on a program of Debian that serves, and what it has to answer:
examples.py ROOT WARD EVENTS.

A program does known work between two states: all sites are attached; the query has been told to end. So its counts are
exact wherever it is the program's own functions that are counted. What isn't in a table here is an error, and so is
an example that nothing here runs or compiles.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT, WARD, EVENTS = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
EXAMPLES = ROOT / "examples/queries"
PATIENCE = 120
results = []

# What a python3 does, by the word that it is given.
WORKER = r'''
import os, queue, sys, threading, time
data = sys.argv[1]
def opens(n, path, there=True):
	for i in range(n):
		try:
			os.close(os.open(path, os.O_RDONLY))
		except OSError:
			assert not there
def reads(n, size):
	f = os.open(data, os.O_RDONLY)
	for i in range(n):
		os.lseek(f, 0, 0)
		assert len(os.read(f, size)) == size
	os.close(f)
def memory(n, size):
	for i in range(n):
		x = b"x" * size # 33 more with its head
		del x
def slow():
	r, w = os.pipe()
	for i in range(3):
		threading.Timer(0.05, os.write, (w, b"x")).start()
		os.read(r, 7)
	os.close(r)
	os.close(w)
def hand(n): # this thread allocates, another one frees
	q = queue.Queue()
	def take():
		while q.get() is not None:
			pass
	t = threading.Thread(target=take)
	t.start()
	for i in range(n):
		q.put(b"x" * (100000 + i % 2))
	q.put(None)
	t.join()
work = {
	"nothing": lambda: None,
	"opens": lambda: (opens(7, data), opens(5, data + ".not", False)),
	"reads": lambda: (reads(200, 100), reads(30, 3000), reads(20, 5000)),
	"memory": lambda: memory(5000, 100000),
	"outlier": lambda: [(memory(500, 1000), memory(1, 10000000)) for i in range(3)],
	"slow": slow,
	"hand": lambda: hand(200),
	"seconds": lambda: [(memory(100, 1000), time.sleep(0.1)) for i in range(12)],
}
print(os.getpid(), flush=True)
for line in sys.stdin:
	work[line.strip()]()
	print("done", flush=True)
'''


def check(what, holds):
	results.append(bool(holds))
	if not holds:
		print(f"FAILED: {what}")


class Program:
	"""A program that is told by lines what to do, and says when it is done."""
	def __init__(self, words, cwd, started, **more):
		self.process = subprocess.Popen(words, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
			stderr=subprocess.DEVNULL, text=True, **more)
		self.started = self.process.stdout.readline() if started else None
		self.pid = self.process.pid

	def tell(self, text, until):
		self.process.stdin.write(text + "\n")
		self.process.stdin.flush()
		while (line := self.process.stdout.readline()) and line.strip() != until:
			pass

	def end(self):
		self.process.stdin.close()
		self.process.stdout.read()
		return self.process.wait()


def ask(name, pid, work, sites=1, options=(), until=None):
	"""The rows of an example, of what `work` does. until: of rows that come one by one, how many there will be."""
	errors = tempfile.TemporaryFile("w+")
	query = subprocess.Popen([WARD, "query", "--json", *options, *(["-p", str(pid)] if pid else []),
		EXAMPLES / f"{name}.wq"],
		stdout=subprocess.PIPE, stderr=errors, text=True)
	guard = threading.Timer(PATIENCE, query.kill)
	guard.start()
	lines, attached = [], 0
	while attached < sites and (line := query.stdout.readline()):
		lines.append(json.loads(line))
		attached += lines[-1]["type"] == "attach" and bool(lines[-1].get("method"))
	if attached == sites:
		work()
	while until and sum(r["type"] == "row" for r in lines) < until and (line := query.stdout.readline()):
		lines.append(json.loads(line))
	query.send_signal(signal.SIGINT)
	lines += [json.loads(line) for line in query.stdout]
	query.wait()
	guard.cancel()
	errors.seek(0)
	err = errors.read()
	if query.returncode != 0 or not lines or lines[-1]["type"] != "rows":
		check(f"{name}: status {query.returncode}: {err}", False)
		return {"rows": [{}], "lacks": ["all"], "complete": False, "events": []}
	return {**lines[-1], "events": [r["row"] for r in lines if r["type"] == "row"]}


def python3(tmp):
	data = tmp / "data"
	data.write_bytes(b"x" * 5000)
	p = Program(["/usr/bin/python3", "-c", WORKER, data], tmp, True)

	def of(name, work, **more):
		answer = ask(name, p.pid, lambda: p.tell(work, "done"), **more)
		# what was open at one of both ends: the call in which it waits for its word; memory that it keeps
		lacks = {"slow-calls": "1 event was dropped",
			"lives": "beginning", "handed-over": "beginning"}.get(name, "no such word")
		check(f"{name}: complete: {answer['lacks']}", all(lacks in line for line in answer["lacks"]))
		return answer
	rows = lambda name, work, **more: of(name, work, **more)["rows"]

	check("calls: 5,000 at least", 5000 <= rows("calls", "memory")[0]["count"] < 6000)
	hist = {b["lo"]: b["count"] for b in rows("sizes", "memory")[0]["hist"]}
	check("sizes: 5,000 from 64 KiB to 128 KiB", hist[65536] == 5000)
	by = rows("sizes-by-caller", "memory")
	check("sizes-by-caller: one of them has asked for 500 MB",
		sum(r["max"] == 100033 and r["count"] >= 5000 and r["sum"] >= 5000 * 100033 for r in by) == 1)
	by = rows("sizes-by-stack", "memory")
	check(f"sizes-by-stack: nearly all of it: {by}", 1 <= len(by) <= 10 and
		sum(r["sum"] for r in by) >= 5000 * 100033 and
		all(r["stack"].endswith(";libc.so.6!malloc") for r in by))
	check("files: as often as they were opened", {(r["Key"].split("/")[-1], r["count"])
		for r in rows("files", "opens")} == {("data", 7), ("data.not", 5)})
	check("failures", rows("failures", "opens") == [{"count": 5}])
	# its own reads are among them: the word that it is given, and where there is none yet, that word
	hist = {b["lo"]: b["count"] for b in rows("results", "reads")[0]["hist"]}
	check("results: in steps of 128", 200 <= hist[0] <= 203 and hist[2944] == 30)
	check("read-sizes: in KiB", {r["Key"]: r["count"] for r in rows("read-sizes", "reads")
		if r["Key"] in (2, 4)} == {2: 30, 4: 20})
	slow = of("slow-calls", "slow", until=3)["events"]
	check("slow-calls: three, with what they had been asked for",
		sum(r["arg2"] == 7 and r["elapsed"] > 1e6 for r in slow) == 3)
	top = rows("ten-callers", "memory")
	check("ten-callers: the largest first", 1 <= len(top) <= 10 and top[0]["count"] >= 5000 and
		[r["count"] for r in top] == sorted((r["count"] for r in top), reverse=True))
	check("callers: some", 1 <= rows("callers", "memory")[0]["distinct"] < 200)
	answer = of("one-of-a-thousand", "memory")
	check("one-of-a-thousand: some, of all", len(answer["events"]) < 60 and "notes" in answer)
	# the 1st, 2nd, 4th … up to the 4,096th, some of which may be of another size
	answer = of("rare-callers", "memory")
	check("rare-callers: few of a frequent one", 8 <= sum(r["arg0"] == 100033 for r in answer["events"]) <= 20 and
		"notes" in answer)
	failed = of("before-a-failure", "opens")["events"]
	check("before-a-failure: what was opened before the first one, and each that failed",
		[r["fd"] < 0 for r in failed] == [False] * 7 + [True] * 5 and
		[r["path"].split("/")[-1] for r in failed] == ["data"] * 7 + ["data.not"] * 5)
	answer = ask("flight-recorder", p.pid, lambda: (p.tell("reads", "done"), p.tell("slow", "done")), until=7)
	slow = [i for i, r in enumerate(answer["events"]) if r["bytes"] == 7 and r["elapsed"] > 1e6]
	check("flight-recorder: three, and the reads before the first one", len(slow) == 3 and
		sum(r["bytes"] == 5000 and r["elapsed"] < 1e6 for r in answer["events"][:slow[0]]) >= 4)
	check("outliers: three", sum(r["arg0"] == 10000033 for r in of("outliers", "outlier", until=3)["events"]) == 3)
	counters = rows("counters", "reads")
	check("counters: all bytes", counters[0]["bytes"] >= 200 * 100 + 30 * 3000 + 20 * 5000
		and counters[0]["calls"] >= 250)
	lives = {b["lo"]: b["count"] for b in rows("lives", "memory", sites=2)[0]["hist"]}
	check("lives: of each that was freed", sum(lives.values()) >= 5000)
	lives = {b["lo"]: b["count"] for b in rows("handed-over", "hand", sites=2)[0]["hist"]}
	check("handed-over: of each that another thread has freed", sum(lives.values()) >= 195)
	windows = rows("rate", "seconds")
	check("rate: a row for each second", len(windows) >= 2 and all(w["window"] % 10**9 == 0 for w in windows))
	check("rate: all of them", 1200 <= sum(w["count"] for w in windows) < 2000)
	check("python3's end", p.end() == 0)


def sqlite3(tmp):
	p = Program([shutil.which("sqlite3"), tmp / "base"], tmp, False)
	done = ".print done"
	p.tell("pragma synchronous=full; create table t (x);\n" + done, "done")
	insert = lambda: p.tell("insert into t values (1);\n" * 20 + done, "done")

	answer = ask("latency", p.pid, insert)
	count = sum(b["count"] for b in answer["rows"][0]["hist"])
	answer = ask("percentiles", p.pid, insert, sites=2)
	rows = {r["site"].removesuffix(":return"): r for r in answer["rows"]}
	synced = rows.get("libc.so.6!fdatasync", {"p50": 1, "p99": 0})
	check("percentiles: the half is less than 99 %", 0 < synced["p50"] <= synced["p99"] < 1e10)
	check("latency: of fsync, where sqlite3 calls it", count >= 0 and answer["complete"])
	answer = ask("functions", p.pid, lambda: p.tell("select count(*) from t;\n" * 50 + done, "done"), sites=100)
	rows = {r["site"]: r["count"] for r in answer["rows"]}
	check("functions: at most 20, sorted", 5 < len(rows) <= 20)
	check("functions: sqlite3_step for each statement", rows.get("libsqlite3.so.0!sqlite3_step", 0) >= 100)
	answer = ask("phases", p.pid, lambda: p.tell("select count(*) from t;\n" * 50 + done, "done"), sites=100,
		options=["-D", "period=100.ms"])
	check("phases: each window has its cluster", answer["rows"]
		and all(0 <= r["cluster"] < 5 for r in answer["rows"]))
	check("sqlite3's end", p.end() == 0)


def redis(tmp):
	socket = tmp / "socket"
	server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly",
		"no", "--dir", tmp],
		executable=shutil.which("redis-check-rdb"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
	try:
		while subprocess.run(["redis-cli", "-s", socket, "ping"], capture_output=True).stdout != b"PONG\n":
			time.sleep(0.05)
		load = lambda: subprocess.run(["redis-benchmark", "-s", socket, "-t", "set", "-n", "2000", "-c", "4",
			"--csv"], capture_output=True, check=True)
		hist = {b["lo"]: b["count"] for b in ask("results", server.pid, load)["rows"][0]["hist"]}
		check("redis: results: a read for each request", hist[0] >= 2000)
		rows = ask("counters", server.pid, load)["rows"]
		check("redis: counters: all requests of one thread", sum(r["calls"] for r in rows) >= 2000
			and rows[0]["bytes"] > 2000 * 20)
	finally:
		server.terminate()
		check("redis-server's end", server.wait() == 0)


def postgres(tmp):
	programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
	data = tmp / "postgres"
	data.mkdir()
	as_user = []
	if os.getuid() == 0: # it refuses to be root
		as_user = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--"]
		shutil.chown(data, "nobody", "nogroup")
		tmp.chmod(0o755)
	quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp}
	subprocess.run([*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "ward", "-N"], check=True,
		**quiet)
	server = subprocess.Popen([*as_user, programs / "postgres", "-D", data, "-c", "listen_addresses=", "-c",
		f"unix_socket_directories={data}",
		"-c", "shared_buffers=16MB", "-c", "autovacuum=off"], **quiet)
	env = {**os.environ, "PGHOST": str(data), "PGUSER": "ward", "PGDATABASE": "postgres"}
	psql = [programs / "psql", "-X", "-A", "-t", "-q"]
	try:
		while subprocess.run([*psql, "-c", "select 1"], env=env, capture_output=True).returncode:
			time.sleep(0.05)
		p = Program(psql, tmp, False, env=env)
		p.process.stdin.write("create table t (x int);\nselect pg_backend_pid();\n")
		p.process.stdin.flush()
		backend = int(p.process.stdout.readline())
		insert = lambda: p.tell("insert into t values (1);\n" * 15 + "\\echo done", "done")
		answer = ask("percentiles", backend, insert, sites=2)
		rows = {r["site"].removesuffix(":return"): r for r in answer["rows"]}
		check("postgres: percentiles of what it commits by",
			rows.get("libc.so.6!fdatasync", {"p50": 0})["p50"] > 0)
		check("psql's end", p.end() == 0)
	finally:
		server.send_signal(signal.SIGINT)
		check("postgres' end", server.wait() == 0)


def iolib(tmp):
	shutil.copy(EVENTS, tmp / "iolib")

	def rows(name, *options):
		run = subprocess.run([WARD, "query", "--json", *options, EXAMPLES / f"{name}.wq", "--", "./iolib",
			"iolib", "12000"], cwd=tmp,
			capture_output=True, text=True, timeout=PATIENCE)
		return json.loads(run.stdout.splitlines()[-1])["rows"]
	check("fay-reads: as the program does", rows("fay-reads") == [{"sizeInKilobytes": i, "countOfReadIOs": 750}
		for i in range(16)])
	check("fay-allocations", rows("fay-allocations", "-D", "kernel=iolib") == [{"count": 6000}])


# Of the kernel: those run in its virtual machine.
KERNEL = {"syscalls-by-program", "syscalls-of-one-process", "processor-time", "kernel-opens", "system-calls"}
# With the kernel's types, where it shows them.
TYPED = {"kernel-opens": "filename is not known here", "processor-time": "prev_comm is not known here"}


def of_the_kernel():
	for name, why in TYPED.items():
		run = subprocess.run([WARD, "query", "--explain", EXAMPLES / f"{name}.wq"], capture_output=True,
			text=True)
		check(f"{name} has the kernel's types, or says what is missing: {run.stderr}", run.returncode == 0
			or why in run.stderr)
	for name in KERNEL - TYPED.keys():
		run = subprocess.run([WARD, "query", "--explain", "-D", "id=1", EXAMPLES / f"{name}.wq"],
			capture_output=True, text=True)
		check(f"{name} is proven: {run.stderr}", run.returncode == 0 and "--- proven" in run.stdout)


def headed():
	"""Each says what it asks, and how it is run, by its own name."""
	own = pathlib.Path(__file__).read_text()
	for example in sorted(EXAMPLES.glob("*.wq")):
		text = example.read_text().split("\n")
		check(f"{example.name}: a question at its head", text[0].startswith("// SPDX")
			and "?" in text[1] + text[2] or "Counters" in text[1])
		check(f"{example.name}: its command", any(line.startswith("//\tward query ")
			and line.endswith(f" examples/queries/{example.name}") for line in text))
		check(f"{example.name}: it is run", f'"{example.stem}"' in own)


def page():
	"""docs/tracing/bpftrace.md has the texts of the examples."""
	link = r"\[([a-z-]*)\]\(\.\./\.\./examples/queries/([a-z-]*)\.wq\)"
	rows = re.findall(r"^\| [^|]* \| .* \| `([^`]*)` \| " + link + r" \|$",
		(ROOT / "docs/tracing/bpftrace.md").read_text(), re.M)
	check("twenty-one questions", len({row[1] for row in rows}) == 21)
	for text, name, file in rows:
		own = "".join(line for line in (EXAMPLES / f"{file}.wq").read_text().splitlines(True)
			if not line.startswith("//"))
		check(f"{name} has its own file's text: {text}", name == file
			and "".join(own.split()) == "".join(text.split()))


def commands(tmp):
	"""What README, pages, manual and help say is typed: it is, with another process and less time."""
	texts = [(ROOT / name).read_text() for name in ("README.md", "docs/tracing/queries.md")]
	texts.append((ROOT / "man/ward-query.1").read_text().replace("\\-", "-").replace("\\e\n", "\\\n"))
	texts.append(subprocess.run([WARD, "query", "--help"], capture_output=True, text=True).stdout)
	found = re.findall(r"^(?:\$ |example: |         )?(ward query (?:.*\\\n)*[^\n\[]*)$", "\n".join(texts), re.M)
	check("some commands are shown", len(found) >= 6)
	(tmp / "probes").symlink_to((ROOT / "probes").resolve())
	for name, text in re.findall(r"^\$ cat ([\w.]+)\n((?:[^$`].*\n)*)", "\n".join(texts), re.M):
		(tmp / name).write_text(text)
	sqlite = Program([shutil.which("sqlite3"), tmp / "base"], tmp, False)
	for command in found:
		run = re.sub(r"-p (\$\(pgrep -n \w+\)|PID\b)", f"-p {sqlite.pid} -d 0.2",
			re.sub(r"-d \d+ |--live ", "", command))
		done = subprocess.run(["sh", "-c", run], cwd=tmp, capture_output=True, text=True,
			stdin=subprocess.DEVNULL, timeout=PATIENCE,
			env={**os.environ, "PATH": f"{pathlib.Path(WARD).parent}:{os.environ['PATH']}"})
		check(f"{command}: {done.stderr}", done.returncode == 0 and done.stdout)
	sqlite.end()


for program in (python3, sqlite3, redis, postgres, iolib, commands):
	with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
		program(pathlib.Path(directory))
of_the_kernel()
headed()
page()
print(f"{results.count(True)} passed, {results.count(False)} failed")
sys.exit(not results or not all(results))
