# SPDX-License-Identifier: Apache-2.0
"""What a fault is tried on: a bus with TLS, three machines with real agents, links and processes that count for
themselves, and an ear on the bus that knows what has arrived."""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading

from cluster import Bus, check, wait_for
from machines import HOSTS, Machine, Trace

LAST = 1


def programs_read(path):
	"""The list that the build writes."""
	with open(path, encoding="utf-8") as f:
		return dict(one.split("=", 1) for one in f.read().strip().split(","))


class Tap:
	"""tap.c: of each query and each (machine, epoch, nonce), the partial with the highest sequence."""

	def __init__(self, program, urls, creds, module):
		self.latest = {}
		self.process = subprocess.Popen([program, urls, creds, module], stdin=subprocess.PIPE,
			stdout=subprocess.PIPE, text=True)
		check("the tap listens", self.process.stdout.readline() == "ready\n")
		self.reader = threading.Thread(target=self.read, daemon=True)
		self.reader.start()

	def read(self):
		for line in self.process.stdout:
			query, host, epoch, nonce, sequence, flags, calls = line.split()
			of = self.latest.setdefault(query, {})
			key = (host, int(epoch), nonce)
			if key not in of or of[key][0] < int(sequence):
				of[key] = (int(sequence), int(flags), int(calls))

	def of(self, query, host):
		"""(epoch, sequence, flags, calls) of each life of a machine, in ascending order."""
		return sorted((key[1], *value) for key, value in list(self.latest.get(query, {}).items()) if key[0] == host)

	def calls(self, query, hosts):
		return sum(life[3] for host in hosts for life in self.of(query, host))

	def has_last(self, query, host):
		lives = self.of(query, host)
		return bool(lives and lives[-1][2] & LAST)

	def end(self):
		self.process.stdin.close()
		self.reader.join()
		check("the tap has missed nothing", self.process.wait() == 0)
		self.process.stdout.close()


class Proxy:
	"""proxy.c, which does what it is told to."""

	def __init__(self, program, port, *more):
		self.process = subprocess.Popen([program, str(port), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
			text=True)
		self.port = int(self.process.stdout.readline())

	def do(self, what):
		self.process.stdin.write(what + "\n")
		self.process.stdin.flush()
		check(f"the proxy does {what}", self.process.stdout.readline() == "done\n", what)

	def end(self):
		self.process.stdin.close()
		check("the proxy ends", self.process.wait() == 0)
		self.process.stdout.close()


class Skip(Exception):
	"""What a row needs isn't here."""


class Island:
	"""A network of its own, from which `localhost` is a proxy to the server, over a link that can be cut."""

	def __init__(self, stage):
		self.name = f"wf{os.getpid() % 10000000}"
		if os.geteuid() != 0:
			raise Skip("a network of its own needs root")
		where = f"198.18.{os.getpid() >> 6 & 255}.{os.getpid() << 2 & 252}"
		host, inside = (where.rsplit(".", 1)[0] + f".{int(where.rsplit('.', 1)[1]) + i}" for i in (1, 2))
		hosts = stage.bus.home / "hosts"
		hosts.write_text(f"{host} localhost\n")
		self.holder = subprocess.Popen(["unshare", "-n", "-m", "sh", "-c",
			f"mount --bind {hosts} /etc/hosts && ip link set lo up && echo ready && cat"], stdin=subprocess.PIPE,
			stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
		self.wrap = ("nsenter", "-t", str(self.holder.pid), "-n", "-m")
		if self.holder.stdout.readline() != "ready\n" or not all(map(self.ip, (
				f"link add {self.name} type veth peer name inside netns {self.holder.pid}",
				f"addr add {host}/30 dev {self.name}", f"link set {self.name} up"))) or not all(
				self.ip(words, self.wrap) for words in (f"addr add {inside}/30 dev inside", "link set inside up")):
			self.end()
			raise Skip("there are no networks of one's own here")
		self.proxy = Proxy(stage.programs["proxy"], stage.bus.port, host)
		self.url = f"tls://localhost:{self.proxy.port}"

	def ip(self, words, wrap=()):
		return subprocess.run([*wrap, "ip", *words.split()], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
			check=False).returncode == 0

	def cut(self, is_cut):
		check("the link is cut or not", self.ip(f"link set {self.name} {'down' if is_cut else 'up'}"))

	def end(self):
		self.holder.stdin.close()
		self.holder.wait()
		self.holder.stdout.close()
		if hasattr(self, "proxy"):
			self.proxy.end()


class Query:
	"""ward query --cluster, while it runs."""

	def __init__(self, stage, text, url=None):
		self.out, self.err = stage.bus.home / "query.json", stage.bus.home / "query.err"
		with open(self.out, "w", encoding="utf-8") as out, open(self.err, "w", encoding="utf-8") as err:
			self.process = subprocess.Popen([stage.bus.ward, "query", "--cluster", url or stage.bus.url, "--creds",
				stage.bus.home / "alice.creds", "--process", "exe=*/cluster-counter", "--period", "0.2", "-d", "600",
				"--grace", "20", "--json", text], stdin=subprocess.DEVNULL, stdout=out,
				stderr=err, env=stage.bus.env)
		Trace.begun.append(self) # ended with the others
		wait_for(lambda: any(o.get("reporting") == 3 for o in self.lines()), lambda: f"three machines report: {self.said()}")

	def lines(self):
		return [json.loads(line) for line in self.out.read_text().splitlines()]

	def said(self):
		return self.err.read_text()

	def wait_events(self, n):
		wait_for(lambda: any(o.get("events") == n for o in self.lines()[-9:]), lambda: f"{n} events: {self.lines()[-2:]}")

	def interrupt(self):
		self.process.send_signal(signal.SIGINT)

	def end(self):
		"""The exit status, and the last answer's rows; and whether that says it is complete."""
		status = self.process.wait()
		answers = [o for o in self.lines() if o.get("type") == "rows"]
		check("there is an answer", answers, self.said())
		return status, answers[-1]["rows"], answers[-1]["complete"]


class Stage:
	is_begun = False

	def __init__(self, programs, machines=3):
		self.programs, self.n = programs, machines
		self.machines, self.tap = [], None
		self.bus = Bus(programs["ward"])

	def __enter__(self):
		bus = self.bus
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		self.key = re.search(r"^key = (\S+)$", said, re.M)[1]
		ear = bus.enrol("coordinator", "ear")
		programs = [self.programs[name] for name in ("agent", "link", "counter")]
		try:
			self.machines = [Machine(bus, host, programs) for host in HOSTS[:self.n]]
			bus.start()
			self.spare = self.spare_make()
			self.tap = Tap(self.programs["tap"], f"{bus.url},{self.spare}", ear, self.programs["module"])
		except BaseException:
			self.__exit__()
			raise
		return self

	def __exit__(self, *_):
		for trace in Trace.begun:
			trace.process.kill()
			trace.process.wait()
		for m in self.machines:
			m.stop()
		if self.tap:
			self.tap.end()
		self.bus.__exit__()

	def spare_make(self):
		"""The configuration of a second server, which doesn't run; its URL."""
		with socket.socket() as s:
			s.bind(("127.0.0.1", 0))
			port = s.getsockname()[1]
		conf = (self.bus.dir / "server.conf").read_text()
		check("the server listens there", conf.count(f":{self.bus.port}") == 1, conf)
		(self.bus.dir / "spare.conf").write_text(conf.replace(f":{self.bus.port}", f":{port}"))
		return f"tls://localhost:{port}"

	# ---- a row ----

	def begin(self, more="", prepare=lambda machine: None):
		"""Agents, links and processes that have nothing of the row before. `prepare` may change what they begin with."""
		self.is_begun = True
		for m in self.machines:
			m.stop_agent()
			m.urls = [self.bus.url]
			m.agent_wrap = m.link_wrap = ()
			m.agent_env = None
			prepare(m)
			m.configure(self.key, more)
			if not m.counter or m.counter.poll() is not None:
				m.start_counter()
			m.calls = 0
			m.start_agent()
			m.start_link()

	def forget(self):
		"""A row has failed: what it has begun isn't the next one's."""
		for trace in Trace.begun:
			trace.process.kill()
		for m in self.machines:
			m.stop_agent()
			shutil.rmtree(m.dir / "state", ignore_errors=True)

	def trace(self, *more, reporting=3, **how):
		"""A query that all machines report to."""
		if not self.is_begun:
			self.begin()
		trace = Trace(self.bus, self.programs["probe"], "-d", "600", "--json", "--grace", "20", *more, **how)
		trace.wait_reporting(reporting)
		trace.query = trace.of("cluster")[-1]["query"]
		return trace

	def call(self, machines=None):
		for m in machines or self.machines:
			m.call(random.randrange(1, 1000))

	def wait_shown(self, trace, what, machines=None):
		"""The coordinator has all that was counted."""
		counted = sum(m.calls for m in machines or self.machines)
		wait_for(lambda: trace.of("cluster")[-1].get("events") == counted, lambda: f"{what}: {counted} calls: "
			f"{trace.of('cluster')[-1]}, {self.said(trace)}")

	def wait_state(self, trace, machine, state):
		wait_for(lambda: any(o["machine"] == machine.host and o["state"] == state for o in trace.of("machine")),
			lambda: f"{machine.host} is {state}: {self.said(trace)}")

	def wait_probed(self, machines=None):
		for m in machines or self.machines:
			wait_for(m.is_probed, lambda m=m: f"{m.host} is probed: {m.logs()[-600:]}")

	def wait_partials(self, query, machine, n):
		"""That many more of the newest epoch: what was counted before is in them if there are two."""
		def newest():
			lives = self.tap.of(query, machine.host)
			return (lives[-1][0], lives[-1][1]) if lives else (0, 0)
		epoch, sequence = newest()
		wait_for(lambda: newest()[0] > epoch or newest()[1] >= sequence + n, lambda: f"{n} partials of {machine.host}: {self.tap.of(query, machine.host)} {machine.logs()[-900:]}")

	def said(self, trace):
		return "\n".join([trace.text[-1500:], trace.error[-500:], *(m.logs()[-500:] for m in self.machines)])

	def expect(self, what, trace, states=None, lost=False, out=(), ended=True):
		"""End the query. The result is, to the digit, the last partial of each (machine, epoch) that has arrived; who isn't
		in it to its end is named, with how much is missing; nothing is left in a process, which has its right result.
		`states`: of machines that haven't ended. `lost`: calls that no partial had. `out`: machines whose numbers aren't
		believed. `ended`: machines are in the result from their first partial to its end."""
		status = trace.end()
		query, states = trace.query, {**dict.fromkeys((m.host for m in self.machines), "ended"), **(states or {})}
		for host, state in states.items():
			if state == "ended":
				wait_for(lambda: self.tap.has_last(query, host), lambda: f"the last value of {host}: {self.said(trace)}")
		arrived = self.tap.calls(query, [h for h in states if h not in out])
		counted = sum(m.calls for m in self.machines if m.host not in out)
		got = {o["machine"]: o for o in trace.of("machine")}
		check(f"{what}: the sum is what has arrived", trace.calls() == arrived, (trace.calls(), arrived, self.said(trace)))
		check(f"{what}: and what was counted", arrived == counted or (lost and arrived < counted), (arrived, counted))
		check(f"{what}: the machines' states", {h: o["state"] for h, o in got.items()} == states, (states, got))
		complete = ended and set(states.values()) == {"ended"}
		check(f"{what}: the exit status says whether it is complete", status == (0 if complete else 3),
			(status, self.said(trace)))
		end = trace.of("end")
		check(f"{what}: and so does the end", end and end[-1]["complete"] == complete, end)
		check(f"{what}: who isn't in it to its end is named", complete or any(o["missing_ms"] for o in got.values()), got)
		self.expect_clean(what)

	def expect_clean(self, what):
		for m in self.machines:
			wait_for(m.is_clean, lambda m=m: f"{what}: something is left on {m.host}: {m.left()} {m.logs()[-500:]}")
			m.call(random.randrange(1, 100))
			m.check_sum(what)


def signal_all(pids, how):
	for pid in pids:
		os.kill(pid, how)


def kill(process):
	process.send_signal(signal.SIGKILL)
	process.wait()
