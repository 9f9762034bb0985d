#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a query begins on a machine and ends, with made-up machines on a real bus: one that comes later is in within three
seconds, and the result says from when on; however it ends, last values are in and acknowledged within two seconds.

Usage: ends.py WARD SIMS PROBE
"""
import os
import signal
import sys
import time

from cluster import Bus, check, summary
from simulated import HOSTS, Machines, Process, calls_of, lines_of, trace_command


def reporting(n):
	return lambda o: o["type"] == "cluster" and o["reporting"] == n


def check_ended(what, query, since, machines):
	query.end()
	took = time.monotonic() - since
	counts = [m.counts() for m in machines]
	check(f"{what}: within two seconds", took <= 2, (took, query.said()))
	check(f"{what}: all that was counted", calls_of(query.out) == sum(n for c in counts for n, _ in c.values()),
		(counts, query.said()))
	check(f"{what}: each was acknowledged", all(got == 1 for c in counts for _, got in c.values()), counts)
	check(f"{what}: complete", query.status == 0, query.said())


def check_late(bus, sims, probe):
	first = Machines(bus, sims, HOSTS[0])
	query = Process(bus, trace_command(bus, "--json", "-d", "60", probe))
	check("the first one reports", query.until(reporting(1)), query.said())
	later = Machines(bus, sims, HOSTS[1])
	came = time.monotonic()
	check("the later one reports", query.until(reporting(2)), query.said())
	took = time.monotonic() - came
	check("within three seconds", took <= 3, took)
	query.process.send_signal(signal.SIGINT)
	check_ended("Ctrl-C", query, time.monotonic(), [first, later])
	joined = {o["machine"]: o["joined_ms"] for o in lines_of(query.out, "machine")[-2:]}
	check("the result says from when on", joined[HOSTS[1]] > joined[HOSTS[0]] + 500, joined)


def check_time(bus, sims, probe):
	machines = Machines(bus, sims, *HOSTS[:3])
	query = Process(bus, trace_command(bus, "--json", "-d", "4", probe))
	check("all report", query.until(reporting(3)), query.said())
	query.until(lambda o: o.get("state") == "ended")
	check_ended("-d", query, time.monotonic(), [machines])
	check("a line for each machine at the end", sorted(o["machine"] for o in lines_of(query.out, "machine")[-3:])
		== HOSTS[:3], query.said())


def main():
	ward, sims, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		for host in HOSTS[:3]:
			bus.enrol("agent", host)
		bus.enrol("coordinator", "alice")
		bus.start()
		try:
			check_late(bus, sims, probe)
			check_time(bus, sims, probe)
		finally:
			Process.end_all()
	summary()


main()
