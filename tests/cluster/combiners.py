# SPDX-License-Identifier: Apache-2.0
"""ward combine on a real bus with TLS: combiners add up made-up machines, one is killed, and another one together with a
machine; the result is exact, and who isn't in it is named.

Usage: combiners.py WARD SIMS PROBE killed|late|machine
"""
import os
import re
import signal
import sys

from cluster import Bus, check, summary, wait_for
from simulated import HOSTS, Machines, Process, calls_of, lines_of, trace_command

COMBINERS = ["sum1", "sum2", "sum3"]
PARTS = ["--shards", "6", "--json", "--grace", "20"]


class Combiner(Process):
	def __init__(self, bus, name, key, *more):
		super().__init__(bus, [bus.ward, "combine", "--cluster", bus.url, "--creds", bus.home / f"{name}.creds", "--name",
			name, "--cluster-name", bus.cluster, "--coordinator", key, *more])
		self.name = name

	def until_there(self):
		wait_for(lambda: "is there" in self.err or self.process.poll() is not None, lambda: f"a combiner: {self.said()}")
		return self


def has_all(line):
	return line["type"] == "cluster" and line["reporting"] == len(HOSTS) and not line["shards_without_combiner"]


def check_exact(trace, machines):
	"""Each machine has counted by itself."""
	counts = machines.counts()
	sum_of = sum(n for n, _ in counts.values())
	check("the result is what the machines have counted", calls_of(trace.out) == sum_of, (sum_of, trace.said()))
	check("each has one last value, acknowledged", all(n == 1 for _, n in counts.values()), counts)


def check_lost(trace, machines, host):
	"""One that has died: what it has said last is in the result, and no more is missing than a period of it."""
	counts = machines.counts()
	count = counts.pop(host)[0]
	of_lost = calls_of(trace.out) - sum(n for n, _ in counts.values())
	check("what the lost one has said is in it", count - 1000 < of_lost <= count, (of_lost, count))
	said = {o["machine"]: o for o in lines_of(trace.out, "machine")}
	check("it is named", said[host]["state"] == "lost", said[host])
	check("all are", set(said) == {host, *counts}, said)


def run_killed(bus, key, sims, probe):
	"""One of three is killed: the others take its shards."""
	combiners = {name: Combiner(bus, name, key).until_there() for name in COMBINERS}
	machines = Machines(bus, sims, *HOSTS)
	trace = Process(bus, trace_command(bus, *PARTS, "-d", "600", probe))
	check("all machines report by combiners", trace.until(has_all) and trace.process.poll() is None, trace.said())
	combiners.pop("sum2").end(signal.SIGKILL)
	check("one is gone", trace.until(lambda o: o["type"] == "cluster" and o["combiners"] == 2), trace.said())
	check("and others have its shards", trace.until(has_all), trace.said())
	trace.end(signal.SIGINT)
	check("a complete result", trace.status == 0, trace.said())
	check_exact(trace, machines)
	for combiner in combiners.values():
		check("a combiner ends when it is told", combiner.end(signal.SIGTERM).status == 0)


def run_machine_killed(bus, key, sims, probe):
	"""A machine dies, and later the combiners that had heard it: what it had said stays."""
	combiners = {name: Combiner(bus, name, key).until_there() for name in COMBINERS}
	machines = Machines(bus, sims, *HOSTS[:3], HOSTS[3] + "=dies")
	trace = Process(bus, trace_command(bus, *PARTS, "-d", "600", probe))
	check("one machine is lost", trace.until(lambda o: o["type"] == "cluster" and o["lost"] == 1), trace.said())
	for name in ("sum1", "sum3"):
		combiners.pop(name).end(signal.SIGKILL)
	check("the last combiner has all shards", trace.until(lambda o: o["type"] == "cluster" and o["combiners"] == 1 and
		not o["shards_without_combiner"] and o["reporting"] == 3), trace.said())
	trace.end(signal.SIGINT)
	check("the result isn't complete", trace.status == 3, trace.said())
	check_lost(trace, machines, HOSTS[3])
	combiners.pop("sum2").end(signal.SIGTERM)


def run_late(bus, key, sims, probe):
	"""Nobody adds up: it is said, and nobody is silently missing. Then one comes."""
	machines = Machines(bus, sims, *HOSTS)
	trace = Process(bus, trace_command(bus, *PARTS, "-d", "600", probe))
	wait_for(lambda: "6 of 6 have no combiner" in trace.err, trace.said)
	late = Combiner(bus, "sum1", key).until_there()
	check("one that comes later has them", trace.until(has_all), trace.said())
	trace.end(signal.SIGINT)
	check("a complete result", trace.status == 0, trace.said())
	check_exact(trace, machines)
	late.end(signal.SIGTERM)


def run_refused(bus, key, sims, probe):
	for more in (["--by", "machine"], ["--without", HOSTS[0]]):
		one = Process(bus, trace_command(bus, *PARTS, *more, probe))
		one.process.wait()
		check(f"{more[0]} is refused by name", one.end().status == 2 and "combiners have added" in one.err, one.said())
	wrong = Combiner(bus, "sum1", key, "--name", "sum2")
	wrong.process.wait()
	check("a combiner has the name of its credentials", wrong.end().status == 3 and "refuses" in wrong.err, wrong.said())
	wrong = Combiner(bus, "sum1", "RWQnonsense")
	wrong.process.wait()
	check("and a key of a coordinator's", wrong.end().status == 2 and "not a key" in wrong.err, wrong.said())


RUNS = {"killed": [run_killed, run_refused], "late": [run_late], "machine": [run_machine_killed]}


def main():
	ward, sims, probe, what = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		for host in HOSTS:
			bus.enrol("agent", host)
		for name in COMBINERS:
			bus.enrol("combiner", name)
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			for run in RUNS[what]:
				run(bus, key, sims, probe)
		finally:
			Process.end_all()
	summary()


main()
