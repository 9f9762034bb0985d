#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A viewer on a real bus: it sees what a query's coordinator shows, to the end and with the same exit status, and no
partial; it can't order anything, whatever key it has.

Usage: viewer.py WARD SIMS PROBE
"""
import json
import os
import signal
import subprocess
import sys

from cluster import Bus, check, summary, wait_for
from simulated import HOSTS, Machines, Process, calls_of, lines_of, trace_command


def watch(bus, *arguments, creds="eve"):
	return Process(bus, [bus.ward, "cluster", "watch", "--cluster", bus.url, "--creds", bus.home / f"{creds}.creds",
		*arguments])


def begin(bus, machines, probe, *arguments):
	"""A query that all machines report to; and its ID."""
	query = Process(bus, trace_command(bus, "--json", "-d", "60", "--grace", "2", *arguments, probe))
	seen = query.until(lambda o: o["type"] == "cluster" and o["reporting"] == machines)
	return query, seen and seen["query"]


def check_table(bus, sims, probe):
	machines = Machines(bus, sims, *HOSTS[:2])
	query, name = begin(bus, 2, probe)
	listed = watch(bus).end()
	check("a viewer sees which queries there are", listed.status == 0 and f"{name}  of alice, on 2 machines, 2 report"
		in listed.out and probe in listed.out, listed.said())
	seen, people = watch(bus, "--json", name), watch(bus, name)
	seen.until(lambda o: o["type"] == "cluster" and o["reporting"] == 2)
	check("it sees the table grow", seen.until(lambda o: o.get("field") == "calls" and o["value"] > 1000), seen.said())
	wait_for(lambda: "calls  " in people.out and "2 reporting" in people.out, "the table for people")
	check("it has no partial", not any(word in seen.out for word in ("nonce", "partial", "epoch")), seen.out)
	query.end(signal.SIGINT)
	seen.end()
	people.end()
	counts = machines.counts()
	total = sum(n for n, _ in counts.values())
	check("the result is the coordinator's", calls_of(query.out) == total and calls_of(seen.out) == total,
		(counts, seen.said(), query.said()))
	check("and what people see", people.out.rstrip().endswith(f"query {name} ended") and f"calls  {total}" in people.out,
		people.said())
	check("each machine is in it", {o["machine"]: o["state"] for o in lines_of(seen.out, "machine")}
		== dict.fromkeys(HOSTS[:2], "ended"), seen.out)
	check("it is complete", (query.status, seen.status, people.status) == (0, 0, 0), (seen.said(), people.said()))


def check_incomplete(bus, sims, probe):
	machines = Machines(bus, sims, HOSTS[0], HOSTS[1] + "=refuses")
	query, name = begin(bus, 1, probe)
	seen, people = watch(bus, "--json", name), watch(bus, name)
	seen.until(lambda o: o["type"] == "cluster" and o["refused"] == 1)
	wait_for(lambda: "1 refused" in people.out, "the table for people")
	query.end(signal.SIGINT)
	seen.end()
	people.end()
	machines.counts()
	check("who is missing is named", f"1 of 2 machines are not in the result to its end: {HOSTS[1]} (refused)"
		in people.out, people.said())
	check("it isn't complete", (query.status, seen.status, people.status) == (3, 3, 3), (seen.said(), people.said()))


def check_rights(bus, sims, probe):
	"""A viewer that has a coordinator's key by theft can't begin, cancel, or call; a coordinator is no viewer."""
	machines = Machines(bus, sims, HOSTS[0])
	query, name = begin(bus, 1, probe)
	stolen = ("--cluster", bus.url, "--creds", bus.home / "eve.creds", "--key", bus.home / "alice.key")
	thief = Process(bus, trace_command(bus, "--grace", "0.5", "-d", "1", *stolen[4:], probe, creds="eve"))
	thefts = [Process(bus, [bus.ward, "cluster", *what, *stolen]) for what in (("cancel", name), ("machines",))]
	other, nothing, wrong = watch(bus, name, creds="alice"), watch(bus, "0" * 32), watch(bus, "7c")
	check("it begins nothing", thief.end().status == 3 and "no machine took the query" in thief.err, thief.said())
	for process in thefts:
		check("it calls and cancels nothing", process.end().status == 3 and "no machine answers" in process.err,
			process.said())
	check("a coordinator's credentials are no viewer's", other.end().status == 3 and "are no viewer's" in other.err,
		other.said())
	check("a query that isn't there", nothing.end().status == 3 and "no coordinator shows this query" in nothing.err,
		nothing.said())
	check("no ID", wrong.end().status == 2, wrong.said())
	check("the query goes on", query.until(lambda o: o["type"] == "cluster" and o["reporting"] == 1), query.said())
	query.end(signal.SIGINT)
	check("to its right end", query.status == 0 and calls_of(query.out) == machines.counts()[HOSTS[0]][0], query.said())


def kill_coordinator(bus, sims, probe):
	"""Its viewer says so, some time later."""
	machines = Machines(bus, sims, HOSTS[2])
	query, name = begin(bus, 1, probe, "--on", HOSTS[2])
	seen = watch(bus, name)
	wait_for(lambda: "calls  " in seen.out, "the table")
	query.process.kill()
	query.end()
	machines.counts()
	return seen


def main():
	ward, sims, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"), USER="alice")
		for host in HOSTS[:3]:
			bus.enrol("agent", host)
		bus.enrol("coordinator", "alice")
		bus.enrol("viewer", "eve")
		bus.start()
		try:
			missed = kill_coordinator(bus, sims, probe)
			check_table(bus, sims, probe)
			check_incomplete(bus, sims, probe)
			check_rights(bus, sims, probe)
			check("a coordinator that is killed is missed", missed.end().status == 3
				and "isn't heard any more" in missed.err, missed.said())
		finally:
			Process.end_all()
	summary()


main()
