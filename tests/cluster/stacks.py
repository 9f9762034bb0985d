#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks on real machines: a stack is one key by the names of its functions, in the processes of three agents, and what
it has counted is exact; in a query and in a probe's table. A policy that doesn't allow stacks refuses them.

Usage: stacks.py WARD AGENT LINK COUNTER
"""
import os
import re
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, SITE, Machine, Query, Trace


def check_stacks(bus, machines):
	"""A stack is one key by the names of its functions, in all processes of all machines; a machine is apart if asked."""
	shown = re.compile(r"cluster-counter!_start\+0x[0-9a-f]+;.*;cluster-counter!main\+0x[0-9a-f]+;cluster-counter!work")
	sums = "Select(g => new { stack = g.Key, n = g.Count(), s = g.Sum(arg0) })"
	for text, wanted in ((f'Function("{SITE}").GroupBy(stack).{sums}', [(3 + 4 + 5, 6 + 10 + 15)]),
			(f'Function("{SITE}").CountBy(new {{ stack, machine }})', sorted(zip(HOSTS, (3, 4, 5))))):
		query = Query(bus, text, "--period", "0.2")
		query.wait_reporting(3)
		for m, n in zip(machines, (3, 4, 5)):
			wait_for(m.is_probed, f"{m.host} is probed")
			m.call(n)
		check("complete", query.end() == 0 and query.answer["complete"], query.detail)
		rows = query.answer["rows"]
		check("stacks are names", all(shown.fullmatch(row["stack"]) for row in rows), query.detail)
		got = sorted((row["n"], row["s"]) if "n" in row else (row["machine"], row["count"]) for row in rows)
		check(f"{text}: all calls, exactly", got == wanted, (got, query.detail))


STACKS = """#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state { WARD_MAP(ward_stack, ward_count, 64) by_stack; };
WARD_ENTRY("cluster-counter!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{ (void)ev; ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1); }
"""


def check_trace_of_stacks(bus, machines):
	"""A probe's table has one function below the other, and nothing cut."""
	(bus.home / "stacks.c").write_text(STACKS)
	trace = Trace(bus, bus.home / "stacks.c", "-d", "600")
	trace.wait_reporting(3)
	for m, n in zip(machines, (3, 4, 5)):
		wait_for(m.is_probed, f"{m.host} is probed")
		m.call(n)
	check("complete", trace.end() == 0, trace.error)
	check("one stack of all machines", re.search(r"^ +12  cluster-counter!work\n +cluster-counter!main\+0x[0-9a-f]+\n"
		r"( +libc[^\n]*\n)+ +cluster-counter!_start\+0x[0-9a-f]+\n", trace.text, re.M), trace.text)


def check_refused(bus):
	"""Each import is allowed by name."""
	query = Query(bus, f'Function("{SITE}").CountBy(stack)', "--period", "0.2")
	wait_for(lambda: sum(o.get("state") == "refused" for o in query.lines() if o["type"] == "machine") == 3,
		lambda: query.out.read_text())
	query.end()
	reasons = {o["reason"] for o in query.lines() if o.get("state") == "refused"}
	check("refused by the import's name", all("ward_stack_take" in reason for reason in reasons), reasons)


def main():
	ward, *programs = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Machine(bus, host, programs) for host in HOSTS]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			for m in machines:
				m.configure(key, "max-insns = 200000\n", results="keys\nimports = ward_stack_take")
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_stacks(bus, machines)
			check_trace_of_stacks(bus, machines)
			for m in machines:
				m.stop_agent()
				m.configure(key)
				m.start_agent()
				m.start_link()
			check_refused(bus)
		finally:
			for trace in Trace.begun: # also when a check has failed in between
				trace.process.kill()
				trace.process.wait()
			for m in machines:
				m.stop()
	summary()


main()
