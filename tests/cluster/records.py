#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records of real machines: agents and links on a real bus with TLS, processes that count for themselves, and ward trace
--cluster with a probe that has a ring. Each call is one record, once, also when the bus is away for 5 s; what a machine
couldn't read is counted and named.

Usage: records.py WARD AGENT LINK COUNTER PROBE PROBES
"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, SITE, Machine, Trace

AWAY_S = 5


def calls_of(trace):
	"""How often each argument came, by machine."""
	calls = {host: collections.Counter() for host in HOSTS}
	for o in trace.of("record"):
		calls[o["machine"]][o["record"]["argument"]] += 1
	return calls


def expect_records(trace, wanted, what):
	calls = calls_of(trace)
	for host in HOSTS:
		check(f"{what}: {host}: each call once", calls[host] == wanted[host],
			((wanted[host] - calls[host]).total(), (calls[host] - wanted[host]).total()))
	last = 0
	for o in trace.of("record"):
		check(f"{what}: in order, or said to be late", o["at"] >= last or o.get("late"), (o, last))
		last = max(last, o["at"])


def work(machines, n, wanted):
	for i, m in enumerate(machines):
		m.call(n + i)
		wanted[m.host].update(range(1, n + i + 1))


def check_exact(bus, machines, probe):
	"""The bus is killed, and is away for five seconds in which all go on."""
	wanted = {host: collections.Counter() for host in HOSTS}
	trace = Trace(bus, probe, "-d", "600", "--json", "--period", "1") # records wait for others for two seconds
	trace.wait_reporting(3)
	work(machines, 300, wanted)
	wait_for(lambda: len(trace.of("record")) == sum(c.total() for c in wanted.values()), "the first records")
	check("in time, none is late", not any(o.get("late") for o in trace.of("record")), trace.of("record")[-1])
	bus.stop(signal.SIGKILL)
	end = time.monotonic() + AWAY_S
	while time.monotonic() < end: # the duration is what is tested
		work(machines, 20, wanted)
		time.sleep(0.1)
	bus.start()
	work(machines, 100, wanted)
	wait_for(lambda: len(trace.of("record")) == sum(c.total() for c in wanted.values()), "all records")
	work(machines, 50, wanted) # and those at its end
	status = trace.end()
	expect_records(trace, wanted, "a bus that was away")
	end, = trace.of("end")
	check("complete", status == 0 and end["complete"], (status, end, trace.error))
	check("counts", end["records"]["taken"] == len(trace.of("record")) and end["records"]["missing"] == 0, end)
	check("whose they are", all(o["process"] == "cluster-counter" and o["pid"] in [m.counter.pid for m in machines]
		and o["field"] == "last" and o["record"]["text"] == "work" for o in trace.of("record")), trace.of("record")[:1])


def check_lost(bus, machines, probe):
	"""More at once than a ring has: what is overwritten is counted, and named."""
	for m in machines:
		m.calls = 0
	trace = Trace(bus, probe, "-d", "600")
	trace.wait_reporting(3)
	machines[1].call(200000)
	status = trace.end()
	records = re.search(r"^(\d+) records, \d+ late$", trace.text, re.M)
	named = re.search(rf"ward: (\d+) records of {machines[1].host} aren't in the result: \d+ lost there before they were read",
		trace.error)
	check("what is lost is named", status == 3 and records and named, (status, trace.error, trace.text[-300:]))
	check("records that came and that were lost are all", records and named and int(records[1]) + int(named[1]) == 200000,
		(records, named))
	check("a line each", len(re.findall(r"^[0-9:.]+  \S+  cluster-counter\(\d+\)  last  time [0-9:.]+  argument \d+  text work$",
		trace.text, re.M)) == int(records[1]), trace.text[:300])
	check("others' aren't lost", machines[0].host not in trace.error.split("aren't in the result")[0][-80:], trace.error)


def check_large(bus, machines):
	"""C-120: a process whose records would be too long isn't probed, and that is said."""
	trace = Trace(bus, pathlib.Path(__file__).parent / "probes/large.c", "-d", "600", "--json")
	wait_for(lambda: len({o["machine"] for o in trace.of("machine") if "C-120" in o.get("warning", "")}) == len(HOSTS),
		lambda: ("three refusals", trace.lines[-3:], trace.error))
	check("records of more than 64 KiB", trace.end() == 3, trace.error)


def check_rate(bus, machines, probe, key):
	"""C-122: no more bytes a second than a machine's owner allows; the others are counted. None is overwritten here."""
	machines[2].configure(key, more="records = 1K\n", results="records")
	machines[2].agent.send_signal(signal.SIGHUP)
	trace = Trace(bus, probe, "-d", "600", "--json")
	trace.wait_reporting(3)
	began = time.monotonic()
	for m in machines:
		m.call(900)
	status = trace.end()
	most = (2 + time.monotonic() - began) * 1024 / 24 # of a record's bytes
	counts = {o["machine"]: o["records"] for o in trace.of("machine")}
	slow = counts[machines[2].host]
	check("what is above the rate is counted", status == 3 and 0 < slow["taken"] <= most
		and slow["taken"] + slow["unread"] == 900 and not slow["missing"], (status, counts))
	check("the others' are whole", all(counts[m.host]["taken"] == 900 and counts[m.host]["unread"] == 0 for m in machines[:2]),
		counts)
	machines[2].configure(key, results="records")
	machines[2].agent.send_signal(signal.SIGHUP)


def check_ctf(bus, machines, probe):
	"""A trace of each machine, whose events babeltrace2 puts in one order."""
	for m in machines:
		m.calls = 0
	traces = bus.home / "traces"
	trace = Trace(bus, probe, "-d", "600", "--json", "--ctf", traces)
	trace.wait_reporting(3)
	for i in range(20):
		for k, m in enumerate(machines):
			m.call(10 + k)
	status = trace.end()
	check("--ctf ends well", status == 0, trace.error)
	check("a directory for each machine", sorted(p.name for p in traces.iterdir()) == HOSTS, list(traces.iterdir()))
	check("records are written and not printed", not trace.of("record"), trace.of("record")[:1])
	counts = {}
	for m in machines:
		done = subprocess.run(["babeltrace2", traces / m.host], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		counts[m.host] = collections.Counter(int(n) for n in re.findall(r"last: .*argument = (\d+), text = \"work\"", done.stdout))
		check(f"the trace of {m.host} has each call", counts[m.host] == {n + 1: 20 for n in range(m.calls // 20)},
			(counts[m.host], done.stdout[:500], done.stderr))
	done = subprocess.run(["babeltrace2", "--clock-seconds", traces], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
	times = [float(t) for t in re.findall(r"^\[(\d+\.\d+)\]", done.stdout, re.M)]
	check("all of them together, in order, and now", len(times) == sum(m.calls for m in machines) and times == sorted(times)
		and abs(times[0] - time.time()) < 600, (len(times), times[:2], done.stderr))
	check("hosts are named", f'hostname = "{HOSTS[0]}"' in (traces / HOSTS[0] / "metadata").read_text())
	said = bus.run("trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--process", "exe=*",
		"--ctf", traces, probe, status=2)
	check("one that exists is refused", "it exists already" in said and (traces / HOSTS[0]).is_dir(), said)


def query(bus, *arguments, **more):
	return subprocess.Popen([bus.ward, "query", "--cluster", bus.url, "--creds", bus.home / "alice.creds",
		"--process", "exe=*/cluster-counter", "--period", "0.2", "-d", "600", "--json", *arguments], text=True,
		stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env, **more)


def rows_until(process, machines, n):
	"""Calls are made once all machines report; the rows of events until there are so many."""
	rows, has_begun = [], False
	for line in process.stdout:
		o = json.loads(line)
		if o["type"] == "cluster" and o["reporting"] == len(HOSTS) and not has_begun:
			has_begun = True
			for m in machines:
				m.call(20)
		if "argument" in o.get("row", o):
			rows.append(o.get("row", o))
		if len(rows) == n:
			return rows
	return rows


def check_query(bus, machines):
	"""Rows of events, with the moment of each by our clock; and as many as are wanted."""
	text = f'Function("{SITE}").Select(new {{ machine, pid, time, argument = arg0 }})'
	before = time.time()
	process = query(bus, text)
	rows = rows_until(process, machines, 60)
	process.send_signal(signal.SIGINT)
	out, error = process.communicate()
	check("a row for each call", sorted((r["machine"], r["argument"]) for r in rows)
		== sorted((host, i) for host in HOSTS for i in range(1, 21)), (rows[:3], len(rows), error))
	check("whose they are", {(r["machine"], r["pid"]) for r in rows} == {(m.host, m.counter.pid) for m in machines}, rows[:3])
	check("moments", all(before - 1 < r["time"] / 1e9 < time.time() + 1 for r in rows)
		and all(a["time"] <= b["time"] for a, b in zip(rows, rows[1:])), [r["time"] for r in rows])
	check("complete", process.returncode == 0 and '"complete":true' in out, (out[-500:], error))
	process = query(bus, text + ".Take(7)")
	rows = rows_until(process, machines, 7)
	out, error = process.communicate()
	check("it ends by itself when it has enough", len(rows) == 7 and "argument" not in out, (rows, out[-500:], error))
	words = "rows of single events with a site, an address or a stack"
	for what in ("site", "stack"):
		said = bus.run("query", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--process", "exe=*",
			f'Function("{SITE}").Select(new {{ {what} }})', status=2)
		check(f"events with a {what} are refused", words in said, said)


def check_refused(bus, machines, probe, key):
	"""Records are a right of their own."""
	machines[0].configure(key, results="text")
	machines[0].agent.send_signal(signal.SIGHUP)
	trace = Trace(bus, probe, "-d", "600", "--json")
	wait_for(lambda: any(o["machine"] == machines[0].host and o["state"] == "refused" for o in trace.of("machine")),
		"a refusal")
	trace.end()
	reason = [o["reason"] for o in trace.of("machine") if o["machine"] == machines[0].host][-1]
	check("a policy without records", "last needs records (C-55)" in reason, reason)


def check_usage(bus, probes):
	"""What can't be had is refused by name, before any machine hears of it."""
	for name, words in (("flight.c", "steps: on a cluster there is no flight recorder"),
			("steps.c", "on a cluster there are no records with the number of a site")):
		said = bus.run("trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--process", "exe=*",
			pathlib.Path(probes).resolve() / name, status=2)
		check(name, words in said and "ward trace there" in said, said)


def main():
	ward, *programs, probe, probes = sys.argv[1:]
	probe = pathlib.Path(probe).resolve()
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Machine(bus, host, programs) for host in HOSTS]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			for m in machines:
				m.configure(key, results="records")
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_usage(bus, probes)
			check_exact(bus, machines, probe)
			check_large(bus, machines)
			check_rate(bus, machines, probe, key)
			check_ctf(bus, machines, probe)
			check_query(bus, machines)
			check_lost(bus, machines, probe)
			check_refused(bus, machines, probe, key)
		finally:
			for trace in Trace.begun:
				trace.process.kill()
				trace.process.wait()
			for m in machines:
				m.stop()
	summary()


main()
