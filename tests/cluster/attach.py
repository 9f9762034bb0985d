#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coordinators that come and go, with real agents and processes that count for themselves: one that was killed comes
back with its journal, or another computer goes on without it, or nobody does; a second one takes a query over. The
result is what the processes have counted, what isn't in it is named, and nothing is left in a process.

Usage: attach.py WARD AGENT LINK COUNTER PROBE
"""
import os
import re
import signal
import sys
import time

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, SITE, Machine
from simulated import Process, calls_of, lines_of

LEASE = 4


class Coordinator(Process):
	"""ward trace --cluster by somebody, on a computer of its own."""
	def __init__(self, bus, who, computer, *arguments):
		env, bus.env = bus.env, dict(bus.env, XDG_STATE_HOME=str(bus.home / computer))
		super().__init__(bus, [bus.ward, "trace", "--cluster", bus.url, "--creds", bus.home / f"{who}.creds", "--json",
			*arguments])
		bus.env = env

	def reporting(self, n):
		o = self.until(lambda o: o["type"] == "cluster" and o["reporting"] == n)
		check(f"{n} machines report", o, self.said())
		return o and o["query"]

	def kill(self):
		self.process.kill()
		self.end()

	def result(self):
		return calls_of(self.out) if '"calls"' in self.out else None

	def states(self):
		return {o["machine"]: o["state"] for o in lines_of(self.out, "machine")}


def begin(bus, machines, probe, *arguments):
	for m in machines:
		m.calls = 0
	first = Coordinator(bus, "alice", "alice", "--process", "exe=*/cluster-counter", "-f", SITE, "--period", "0.2",
		"-d", "600", *arguments, probe)
	query = first.reporting(len(machines))
	call(machines, 1000)
	total = sum(m.calls for m in machines)
	first.until(lambda o: o["type"] == "cluster" and o["events"] == total)
	return first, query


def call(machines, n):
	for i, m in enumerate(machines):
		m.call(n + i)


def check_end(what, c, machines, status=0):
	c.end(signal.SIGINT)
	wanted = sum(m.calls for m in machines)
	check(f"{what}: the result is what the processes have counted", c.result() == wanted, (wanted, c.said()))
	check(f"{what}: exit status {status}", c.status == status, c.said())


def check_clean(machines):
	for m in machines:
		wait_for(lambda m=m: not m.is_probed(), f"{m.host} is free of probes")


def check_journal(bus, machines, probe):
	"""Killed, and back on the same computer."""
	first, query = begin(bus, machines, probe)
	first.kill()
	call(machines, 500)
	again = Coordinator(bus, "alice", "alice", "--attach", query)
	again.reporting(len(machines))
	check_end("with the journal", again, machines)
	check("all have ended", again.states() == {m.host: "ended" for m in machines}, again.said())
	check_clean(machines)


def check_elsewhere(bus, machines, probe, keys):
	"""Killed, and gone on with from another computer, after a machine's last value was acknowledged."""
	first, query = begin(bus, machines, probe)
	leaves = machines[2]
	leaves.configure(keys["alice"], take_over(keys), sites="other!*")
	leaves.agent.send_signal(signal.SIGHUP)
	first.until(lambda o: o["type"] == "machine" and o["machine"] == leaves.host and o["state"] == "ended")
	first.kill()
	call(machines[:2], 500)
	refused = Coordinator(bus, "carol", "carol", "--attach", query).end()
	again = Coordinator(bus, "alice", "elsewhere", "--attach", query, "--expect", bus.home / "expected")
	again.until(lambda o: o["type"] == "cluster" and o["reporting"] == 2 and o["ended"] == 1)
	check_end("without the journal", again, machines, status=3)
	line = lines_of(again.out, "machine")[-3:]
	check("who has ended before is named", [o["machine"] for o in line if o.get("early") and o["missing_ms"]] == [leaves.host], line)
	check("others are whole", lines_of(again.out, "end")[-1]["complete_machines"] == 2, again.said())
	check("a key that may not take over gets nothing", refused.status == 3
		and "no machine gives its order to this key" in refused.err, refused.said())
	leaves.configure(keys["alice"], take_over(keys))
	leaves.agent.send_signal(signal.SIGHUP)
	check_clean(machines)


def check_lease(bus, machines, probe):
	"""Killed, and nobody comes in time: all probes are gone. What was counted is there for whoever comes later."""
	first, query = begin(bus, machines, probe, "--lease", str(LEASE))
	first.kill()
	killed = time.monotonic()
	call(machines, 500)
	check_clean(machines)
	took = time.monotonic() - killed
	check("all probes are gone within the lease and two seconds", took <= LEASE + 2, took)
	for m in machines:
		m.counter.stdin.write("77\n") # nobody counts these
		m.counter.stdin.flush()
		m.counter.stdout.readline()
	for computer, status in (("elsewhere", 3), ("alice", 3)):
		late = Coordinator(bus, "alice", computer, "--attach", query)
		late.status = None
		wait_for(lambda late=late: late.process.poll() is not None, 
			lambda late=late: f"its end, as all machines have ended: {late.said()}")
		late.end()
		check(f"{computer}: late, and still exact", late.result() == sum(m.calls for m in machines), late.said())
		check(f"{computer}: not to its end", late.status == status
			and all(o["early"] and o["missing_ms"] > 1000 for o in lines_of(late.out, "machine")[-3:]), late.said())


def looks_on(bus, query, machines):
	"""How machines do is shown to whoever may take the query over, and to nobody else."""
	def show(who):
		return Process(bus, [bus.ward, "cluster", "show", "--cluster", bus.url, "--creds", bus.home / f"{who}.creds",
			"--json", query]).end()
	bob, carol = show("bob"), show("carol")
	check("bob sees all machines", bob.status == 0 and {o["machine"]: (o["state"], o.get("events"))
		for o in lines_of(bob.out, "machine")} == {m.host: ("reporting", m.calls) for m in machines}, bob.said())
	check("carol sees nothing", carol.status == 3 and not carol.out
		and "no machine gives its order to this key" in carol.err, carol.said())


def check_two(bus, machines, probe):
	"""Another person takes it over: the first one says so, and goes on as a viewer. The result is one."""
	first, query = begin(bus, machines, probe)
	looks_on(bus, query, machines)
	second = Coordinator(bus, "bob", "bob", "--attach", query, "--expect", bus.home / "expected")
	second.reporting(len(machines))
	check("the first one says so", first.until(lambda o: o["type"] == "taken_over"), first.said())
	call(machines, 500)
	total = sum(m.calls for m in machines)
	for c in (first, second):
		check("both see what comes", c.until(lambda o: o["type"] == "cluster" and o["events"] == total), c.said())
	check_end("the second one", second, machines)
	first.end()
	check("the first one has the same result", first.result() == second.result() and first.status == 0, first.said())
	check_clean(machines)


def take_over(keys):
	return (f"[coordinator bob]\nkey = {keys['bob']}\nmay = take-over\n"
		f"[coordinator carol]\nkey = {keys['carol']}\nmay = user\n")


def main():
	ward, *programs, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, USER="alice")
		keys = {}
		for who in ("alice", "bob", "carol"):
			said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", who)
			keys[who] = re.search(r"^key = (\S+)$", said, re.M)[1]
		machines = [Machine(bus, host, programs) for host in HOSTS]
		(bus.home / "expected").write_text("\n".join(HOSTS))
		bus.start()
		try:
			for m in machines:
				m.configure(keys["alice"], take_over(keys))
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_journal(bus, machines, probe)
			check_elsewhere(bus, machines, probe, keys)
			check_lease(bus, machines, probe)
			check_two(bus, machines, probe)
		finally:
			Process.end_all()
			for m in machines:
				m.stop()
	summary()


main()
