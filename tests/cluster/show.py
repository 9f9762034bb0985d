#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward cluster show, on a real bus with made-up machines: how each machine of a query does, and which of them is odd. The
query itself goes on as if nobody had looked.

Usage: show.py WARD SIMS PROBE
"""
import os
import signal
import sys

from cluster import Bus, check, summary
from simulated import HOSTS, Machines, Process, calls_of, lines_of, trace_command

LEASE = 3


def show(bus, *arguments, creds="alice", status=0):
	process = Process(bus, [bus.ward, "cluster", "show", "--cluster", bus.url, "--creds", bus.home / f"{creds}.creds",
		*arguments]).end()
	check(f"show {arguments}: status {status}", process.status == status, process.said())
	return process


def begin(bus, machines, probe, *arguments):
	query = Process(bus, trace_command(bus, "--json", "-d", "60", "--grace", "2", *arguments, probe))
	seen = query.until(lambda o: o["type"] == "cluster" and o["reporting"] == machines)
	return query, seen and seen["query"]


def by_machine(process):
	return {o["machine"]: o for o in lines_of(process.out, "machine")}


def check_states(bus, name):
	rows = by_machine(show(bus, "--json", name))
	wanted = dict(zip(HOSTS, ("reporting", "reporting", "refused", "reporting")))
	check("each machine's state", {h: o["state"] for h, o in rows.items()} == wanted, rows)
	check("why one refuses", rows[HOSTS[2]].get("reason") == "its policy says no" and "events" not in rows[HOSTS[2]], rows)
	check("what others have counted", all(rows[h]["events"] > 0 and rows[h]["heard_ms"] < 5000 and rows[h]["epoch"]
		for h in (HOSTS[0], HOSTS[1], HOSTS[3])), rows)
	people = show(bus, name)
	check("for people", "MACHINE" in people.out and "4 machines: 3 reporting, 1 refused" in people.out
		and "its policy says no" in people.out, people.said())


def check_shares(bus, name):
	"""One counts fifty times as much as each of the two others: of 52 parts it has 50."""
	odd = show(bus, "--json", "--by", "machine", name, "calls", status=3)
	shares = lines_of(odd.out, "share")
	check("the odd one is first", [o["machine"] for o in shares][:1] == [HOSTS[3]] and len(shares) == 3, odd.said())
	check("parts", abs(sum(o["share"] for o in shares) - 1) < 1e-9 and shares[0]["share"] > 0.9
		and shares[0]["value"] > 20 * shares[0]["median"], shares)
	values = sorted(o["value"] for o in shares)
	check("the median is the middle one's", all(o["median"] == values[1] for o in shares), shares)
	check("who isn't among them is named", f"{HOSTS[2]}: nothing of it is here: refused" in odd.err, odd.err)
	people = show(bus, "--by", "machine", name, "calls", status=3)
	first = people.out.splitlines()[1].split()
	check("for people", first[0] == HOSTS[3] and float(first[2]) > 90 and people.out.splitlines()[-1].startswith("median"),
		people.said())


def check_query(bus, sims, probe):
	machines = Machines(bus, sims, HOSTS[0], HOSTS[1], HOSTS[2] + "=refuses", HOSTS[3] + "=odd")
	query, name = begin(bus, 3, probe)
	check_states(bus, name)
	check_shares(bus, name)
	unknown = show(bus, "--by", "machine", name, "call", status=2)
	check("no such field", "the query has no such field" in unknown.err, unknown.err)
	query.end(signal.SIGINT)
	ended = by_machine(show(bus, "--json", name)) # last values are acknowledged: they don't come again
	counts = machines.counts()
	check("its result is what the machines have counted", calls_of(query.out) == sum(n for n, _ in counts.values()),
		(counts, query.said()))
	check("nobody took it over", not lines_of(query.out, "taken_over"), query.said())
	check("each last value was acknowledged once", [got for _, got in counts.values()] == [1, 1, 0, 1], counts)
	check("when it is over, its machines have ended", [ended.get(h, {}).get("state") for h in (HOSTS[0], HOSTS[1],
		HOSTS[3])] == ["ended"] * 3, ended)


def check_left(bus, sims, probe):
	"""Looking on renews no lease."""
	machines = Machines(bus, sims, HOSTS[0])
	query, name = begin(bus, 1, probe, "--lease", str(LEASE))
	query.process.kill()
	query.end()
	states = []
	while "ended" not in states and len(states) < 4: # each takes about a lease's time
		states += [o["state"] for o in by_machine(show(bus, "--json", name)).values()]
	machines.counts()
	check("it ends with its lease", states[-1:] == ["ended"], states)


def check_usage(bus):
	for arguments, words in (((), "give the ID of one query"), (("7c",), "is no query's ID"),
			(("--by", "machine", "0" * 32), "and a field of its results"),
			(("--by", "label=rack", "0" * 32, "calls"), "--by machine")):
		said = show(bus, *arguments, status=2).err
		check(f"{arguments}: {words}", words in said, said)
	nobody = show(bus, "0" * 32, status=3)
	check("no such query", "none of 0 machines that answer has it" in nobody.err, nobody.err)


def main():
	ward, sims, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"), USER="alice")
		for host in HOSTS:
			bus.enrol("agent", host)
		bus.enrol("coordinator", "alice")
		bus.start()
		try:
			check_usage(bus)
			check_query(bus, sims, probe)
			check_left(bus, sims, probe)
			check("it leaves no journal", len(list((bus.home / "state/ward/queries").iterdir())) == 2)
		finally:
			Process.end_all()
	summary()


main()
