#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files for viewers hold each record and each count, as other programs read them: protoc, Go's pprof, a browser.

export.py WARD TARGETS
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

WARD, TARGETS = sys.argv[1], sys.argv[2]
CALLS = 1000
PROBE = """
#include <ward/probe.h>
enum turn { EVEN, ODD };
struct call {
	unsigned long time;
	ward_elapsed took;
	int tid;
	enum turn turn;
	long negative;
	unsigned long number;
	char name[12];
	double half;
};
struct key {
	enum turn turn;
	unsigned long rest;
};
struct sums {
	ward_count calls;
	ward_stat numbers;
};
struct ward_state {
	WARD_RING(struct call, 4096) calls;
	WARD_MAP(struct key, struct sums, 64) by_key;
	WARD_MAP(unsigned long, unsigned long, 4) small;
};
WARD_ENTRY("burst!work:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0];
	struct sums *s = ward_map_at(&st->by_key, ((struct key){n & 1, n % 3}));
	s->calls++;
	ward_stat_add(&s->numbers, n);
	ward_map_add(&st->small, n % 8, 1);
	ward_ring_push(&st->calls, ((struct call){.time = ev->time, .took = ev->elapsed, .tid = (int)ev->tid,
		.turn = n & 1, .negative = -(long)n, .number = n, .name = "a\\"</\\\\\\x01\\xff", .half = 0.5}));
}
"""
results = []


def check(what, holds, more=""):
	results.append(bool(holds))
	if not holds:
		print(f"FAILED: {what} {more}")


def ward(tmp, *exports, probe="probe.c", extra=()):
	options = [o for e in exports for o in ("--export", e)]
	return subprocess.run([WARD, "trace", *options, *extra, f"{tmp}/{probe}", "--", f"{TARGETS}/burst"],
		input=f"{CALLS}\n", capture_output=True, text=True, timeout=300)


# ---- protobuf, as protoc prints it: {field number: [values]} ----

def message(lines):
	fields = {}
	for line in lines:
		line = line.strip()
		if line == "}":
			return fields
		name, value = (line[:-2], message(lines)) if line.endswith("{") else line.split(": ", 1)
		fields.setdefault(int(name), []).append(value)
	return fields


def decode(path):
	with open(path, "rb") as file:
		text = subprocess.run(["protoc", "--decode_raw"], stdin=file, capture_output=True, check=True).stdout
	return message(iter(text.decode().splitlines()))


def check_perfetto(path):
	packets = decode(path)[1]
	clocks = {c[1][0]: int(c[2][0]) for p in packets if 6 in p for c in p[6][0][1]}
	check("both clocks are in a snapshot", set(clocks) == {"1", "6"}, clocks)
	tracks = {t[1][0]: t for p in packets if 60 in p for t in p[60]}
	events = [(int(p[8][0]), p[11][0]) for p in packets if 11 in p]
	check("each event is on a track that was described before", all(e[11][0] in tracks for _, e in events))
	begins = [(ns, e) for ns, e in events if e[9] == ["1"]]
	ends = [ns for ns, e in events if e[9] == ["2"]]
	check("each call is a slice", (len(begins), len(ends)) == (CALLS, CALLS), (len(begins), len(ends)))
	check("a slice ends after it began", all(b <= e for (b, _), e in zip(begins, ends)))
	values = [{v[10][0].strip('"'): v for v in e[4]} for _, e in begins]
	check("numbers are all there, in order", [int(v["number"][3][0]) for v in values] == list(range(CALLS)))
	check("negative numbers", [int(v["negative"][4][0]) - (1 << 64 if v["negative"][4][0][0] != "-" and
		int(v["negative"][4][0]) >> 63 else 0) for v in values] == [-n for n in range(CALLS)])
	check("enumerations by name", [v["turn"][6][0] for v in values[:2]] == ['"EVEN"', '"ODD"'])
	thread = next(t for t in tracks.values() if 4 in t)
	check("the thread has its name and process", thread[4][0][5] == ['"burst"'] and thread[4][0][1] == thread[4][0][2])
	return [b for b, _ in begins], ends


def check_chrome(path, begins, ends):
	trace = json.loads(path.read_text())
	start = int(trace["otherData"]["begin_ns"])
	calls = [e for e in trace["traceEvents"] if e["ph"] == "X"]
	check("chrome: each call once", [e["args"]["number"] for e in calls] == list(range(CALLS)))
	check("chrome and perfetto have the same times", all(
		(round(e["ts"] * 1000) + start, round(e["dur"] * 1000)) == (b, end - b)
		for e, b, end in zip(calls, begins, ends)))
	first = calls[1]["args"]
	check("chrome: values", (first["turn"], first["negative"], first["half"]) == ("ODD", -1, 0.5), first)
	check("chrome: what isn't text is escaped", first["name"] == 'a"</\\\\\\x01\\xff', first["name"])
	check("chrome: a thread's name", {"burst"} == {e["args"]["name"] for e in trace["traceEvents"]
		if e["name"] == "thread_name"})


def check_table(name, table, limits):
	n = table["length"]
	for column, values in table.items():
		if isinstance(values, list):
			check(f"firefox: {name}.{column} has a value for each row", len(values) == n, (len(values), n))
	for column, limit in limits.items():
		check(f"firefox: {name}.{column} are rows that are there",
			all(v is None or -1 <= v < limit for v in table[column]))


def check_firefox(path, begins):
	profile = json.loads(path.read_text())
	for t in profile["threads"]:
		texts = len(t["stringArray"])
		check_table("markers", t["markers"], {"name": texts, "category": 1})
		check_table("samples", t["samples"], {"stack": t["stackTable"]["length"]})
		check_table("stackTable", t["stackTable"], {"frame": t["frameTable"]["length"],
			"prefix": t["stackTable"]["length"]})
		check_table("frameTable", t["frameTable"], {"func": t["funcTable"]["length"]})
		check_table("funcTable", t["funcTable"], {"name": texts})
		for column in ("resourceTable", "nativeSymbols"):
			check_table(column, t[column], {})
	markers, stacks = profile["threads"][0]["markers"], profile["threads"][-1]
	check("firefox: each call is a marker", [d["number"] for d in markers["data"]] == list(range(CALLS)))
	check("firefox: times", all(abs(profile["meta"]["startTime"] * 1e6 + m * 1e6 - b) < 1000
		for m, b in zip(markers["startTime"], begins)))
	check("firefox: the weight of all stacks", sum(stacks["samples"]["weight"]) == 2 * CALLS)


def wanted_stacks():
	stacks = {}
	for n in range(CALLS):
		key = ("by_key", ("EVEN", "ODD")[n & 1], f"rest={n % 3}")
		stacks[key] = stacks.get(key, 0) + 1
	return stacks


def check_folded(path):
	lines = [line.rsplit(" ", 1) for line in path.read_text().splitlines()]
	stacks = {tuple(frames.split(";")): int(n) for frames, n in lines}
	small = {k: v for k, v in stacks.items() if k[0] == "small"}
	check("folded: each key's count", {k: v for k, v in stacks.items() if k[0] == "by_key"} == wanted_stacks(), stacks)
	check("folded: what found no room is there", sum(small.values()) == CALLS and len(small) == 5, small)


def check_pprof(path):
	raw = subprocess.run(["go", "tool", "pprof", "-raw", path], capture_output=True, text=True, check=True).stdout
	functions = dict(re.findall(r"^ +(\d+): 0x0 (?:M=\d+ )?(.*?) :0", raw, re.M))
	samples = re.findall(r"^ +(\d+): ((?:\d+ ?)+)$", raw, re.M)
	stacks = {tuple(functions[i] for i in reversed(ids.split())): int(n) for n, ids in samples}
	check("pprof: the measure is called as the member", "calls/count" in raw, raw[:200])
	check("pprof: each key's count", {k: v for k, v in stacks.items() if k[0] == "by_key"} == wanted_stacks(), stacks)


def check_flame(tmp, path):
	page = path.read_text()
	check("the page names no address", "://" not in page)
	dom = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp}/profile", "--dump-dom", f"file://{path}"],
		stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=True).stdout.decode()
	drawn = [(float(w), int(y), name) for w, y, name in re.findall(
		r'width: ([0-9.]+)%; top: (\d+)px[^>]*>([^<]*)</div>', dom)]
	widths = {name: (w, y) for w, y, name in drawn}
	check("a frame is as wide as its weight", widths.get("all", (0,))[0] == 100 and
		abs(widths.get("by_key", (0,))[0] - 50) < 0.01 and abs(widths.get("ODD", (0,))[0] - 25) < 0.01, widths)
	check("a frame is below its caller", widths["all"][1] < widths["by_key"][1] < widths["ODD"][1], widths)


# ---- the Common Trace Format 2, read by what its metadata says ----

def ctf2_field(kind, data, at, roles):
	"""The value of a field at a byte, and where the next one is."""
	what, bits = kind["type"], kind.get("length", 0)
	if what == "structure":
		out = {}
		for member in kind["member-classes"]:
			out[member["name"]], at = ctf2_field(member["field-class"], data, at, roles)
		return out, at
	if what == "static-length-string":
		return data[at:at + bits].split(b"\0")[0], at + bits
	if what == "fixed-length-floating-point-number":
		return struct.unpack_from({32: "<f", 64: "<d"}[bits], data, at)[0], at + bits // 8
	value = int.from_bytes(data[at:at + bits // 8], kind["byte-order"][:-len("-endian")], signed="-signed-" in what)
	for role in kind.get("roles", []):
		roles[role] = value
	names = [n for n, ranges in kind.get("mappings", {}).items() if any(a <= value <= b for a, b in ranges)]
	return (names[0] if names else value), at + bits // 8


def ctf2_records(folder):
	parts = [json.loads(p) for p in (folder / "metadata").read_text().split("\x1e")[1:]]
	by = {}
	for p in parts:
		by.setdefault(p["type"], []).append(p)
	check("ctf 2: the preamble is first", parts[0] == {"type": "preamble", "version": 2})
	clock = by["clock-class"][0]
	for path in folder.iterdir():
		data, at = path.read_bytes(), 0
		while path.name != "metadata" and at < len(data):
			begin, roles = at, {}
			_, at = ctf2_field(by["trace-class"][0]["packet-header-field-class"], data, at, roles)
			check("ctf 2: a packet's magic number", roles["packet-magic-number"] == 0xc1fc1fc1)
			stream = next(s for s in by["data-stream-class"] if s["id"] == roles["data-stream-class-id"])
			event = next(e for e in by["event-record-class"] if e["data-stream-class-id"] == stream["id"])
			_, at = ctf2_field(stream["packet-context-field-class"], data, at, roles)
			while at < begin + roles["packet-content-length"] // 8:
				_, at = ctf2_field(stream["event-record-header-field-class"], data, at, roles)
				fields, at = ctf2_field(event["payload-field-class"], data, at, {})
				offset = clock["offset-from-origin"]
				ns = offset["seconds"] * 10**9 + (offset["cycles"] + roles["default-clock-timestamp"]) * 10**9 // \
					clock["frequency"]
				yield event["name"], ns, fields
			at = begin + roles["packet-total-length"] // 8


def check_ctf2(tmp):
	before = time.time_ns()
	r = ward(tmp, extra=("--ctf", f"{tmp}/ctf2", "--ctf-version", "2"))
	records = list(ctf2_records(tmp / "ctf2"))
	check("ctf 2: it is written", r.returncode == 0, r.stderr)
	check("ctf 2: each record once", [f["number"] for _, _, f in records] == list(range(CALLS)), len(records))
	check("ctf 2: times are of now", all(before - 10**9 < ns < time.time_ns() + 10**9 for _, ns, _ in records))
	check("ctf 2: values", all(f["negative"] == -f["number"] and f["turn"] == ("EVEN", "ODD")[f["number"] & 1] and
		f["half"] == 0.5 and f["name"] == b'a"</\\\x01\xff' for _, _, f in records), records[:1])
	r = ward(tmp, extra=("--ctf-version", "2"))
	check("ctf 2: without a directory it is refused", r.returncode == 2 and "of --ctf DIR" in r.stderr, r.stderr)


def check_refusals(tmp):
	(tmp / "ring.c").write_text("#include <ward/probe.h>\nstruct r { unsigned long time; };\n"
		"struct ward_state { WARD_RING(struct r, 64) ring; };\nWARD_ENTRY(\"burst!work\")\n"
		"void on_work(const struct ward_event *ev, struct ward_state *st)\n"
		"{ ward_ring_push(&st->ring, ((struct r){ev->time})); }\n")
	for exports, why in ((["svg:x"], "no format 'svg'"), (["chrome"], "wants FORMAT:FILE"),
			([f"chrome:{tmp}/x", f"perfetto:{tmp}/x"], "twice"), ([f"chrome:{tmp}/none/x"], "No such file"),
			([f"pprof:{tmp}/x"], "no maps of sums"), ([f"chrome:{tmp}/x{i}" for i in range(9)], "more than 8")):
		r = ward(tmp, *exports, probe="ring.c")
		check(f"{exports[0]} is refused", r.returncode == 2 and why in r.stderr and r.stderr.count("hint: ") == 1 and
			not r.stdout, r.stderr)
	r = ward(tmp, "chrome:/dev/full", probe="ring.c")
	check("a full disk is said", r.returncode == 2 and "the file isn't complete" in r.stderr, r.stderr)


def main():
	with tempfile.TemporaryDirectory() as name:
		tmp = pathlib.Path(name)
		(tmp / "probe.c").write_text(PROBE)
		formats = ("perfetto", "chrome", "firefox", "pprof", "folded", "flame")
		suffix = {"flame": ".html"}
		files = {f: tmp / f"out.{f}{suffix.get(f, '')}" for f in formats}
		r = ward(tmp, *(f"{f}:{p}" for f, p in files.items()))
		check("the trace ends well", r.returncode == 0, r.stderr)
		check("each file is said, and for what it is", all(f"{p}: for " in r.stderr for p in files.values()))
		check("nothing was lost", f"{CALLS} records read, 0 lost" in r.stdout, r.stdout)
		begins, ends = check_perfetto(files["perfetto"])
		check_chrome(files["chrome"], begins, ends)
		check_firefox(files["firefox"], begins)
		check_folded(files["folded"])
		check_pprof(files["pprof"])
		check_flame(tmp, files["flame"])
		check_ctf2(tmp)
		check_refusals(tmp)
	print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
	return 0 if results and all(results) else 1


sys.exit(main())
