#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an agent adds to a machine: the processor's time for a call of a probed function when `ward trace` has
put the probe there, and when an agent has, which looks at the counts ten times a second and sends them. Beside
it without a probe, and without a probe while an agent waits for orders. Rounds of all are interleaved; it
prints medians, and the ratio of each to its twin. With --check it runs one short round, and only says whether
all was as it should be.

Usage: agent.py BUILD [--check] [--rounds N] [--calls N]
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cluster"))

import cluster  # noqa: E402
from machines import SITE  # noqa: E402
from stage import Stage, programs_read  # noqa: E402


def time_of(machine):
	"""What the process has had of a processor so far, in nanoseconds."""
	return int(pathlib.Path(f"/proc/{machine.counter.pid}/schedstat").read_text().split()[0])


def measure(machine, calls):
	"""Nanoseconds of a processor a call."""
	began = time_of(machine)
	machine.call(calls)
	return (time_of(machine) - began) / calls


def without_agent(stage, machine, calls):
	machine.stop_agent()
	return measure(machine, calls)


def with_agent(stage, machine, calls):
	stage.begin()
	return measure(machine, calls)


def by_trace(stage, machine, calls):
	machine.stop_agent()
	tracer = subprocess.Popen([stage.bus.ward, "trace", "-p", str(machine.counter.pid), "-f", SITE, "-d", "600",
		stage.programs["probe"]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
	cluster.wait_for(machine.is_probed, "the probe is there")
	took = measure(machine, calls)
	tracer.send_signal(2)
	cluster.check("ward trace ends well", tracer.wait() == 0)
	return took


def by_agent(stage, machine, calls):
	stage.begin()
	machine.calls = 0
	trace = stage.trace("--period", "0.1", reporting=1)
	stage.wait_probed([machine])
	took = measure(machine, calls)
	stage.expect("an agent's probe", trace)
	return took


ROWS = {"no probe, no agent": without_agent, "no probe, an agent that waits": with_agent, "probe of ward trace": by_trace,
	"probe of an agent": by_agent}
TWINS = {"no probe, an agent that waits": "no probe, no agent", "probe of an agent": "probe of ward trace"}


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("build", type=pathlib.Path)
	parser.add_argument("--check", action="store_true")
	parser.add_argument("--rounds", type=int, default=9)
	parser.add_argument("--calls", type=int, default=20000000)
	given = parser.parse_args()
	rounds, calls = (1, 100000) if given.check else (given.rounds, given.calls)
	took = {name: [] for name in ROWS}
	with Stage(programs_read(given.build / "tests/cluster/faults.txt"), machines=1) as stage:
		machine, = stage.machines
		machine.start_counter()
		measure(machine, calls)
		for _ in range(rounds):
			for name, row in ROWS.items():
				took[name].append(row(stage, machine, calls))
	if not given.check:
		print(f"Time of a processor for a call, of {calls} in a loop; medians of {rounds} interleaved rounds:")
		for name, all_of in took.items():
			median = statistics.median(all_of)
			twin = TWINS.get(name)
			ratio = statistics.median(a / b for a, b in zip(all_of, took[twin])) if twin else None
			print(f"  {name:30}  {median:7.2f} ns" + (f"  {ratio:.3f} of {twin}" if twin else ""))
	cluster.summary()


main()
