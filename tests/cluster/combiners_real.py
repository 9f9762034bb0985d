# SPDX-License-Identifier: Apache-2.0
"""Real agents and links, and processes that count for themselves, with real combiners: one is killed, and an agent; the
result is what the processes have counted.

Usage: combiners_real.py WARD AGENT LINK COUNTER PROBE
"""
import os
import re
import signal
import subprocess
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, Machine, Trace, check_result

SHARDS = ("--shards", "4", "--grace", "20")


def combiner_start(bus, name, key):
	log = open(bus.home / f"{name}.log", "w")
	return subprocess.Popen([bus.ward, "combine", "--cluster", bus.url, "--creds", bus.home / f"{name}.creds", "--name",
		name, "--coordinator", key], stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def run(bus, machines, key, probe, combiners):
	for m in machines:
		m.configure(key)
		m.start_counter()
		m.start_agent()
		m.start_link()

	trace = Trace(bus, probe, "-d", "600", "--json", *SHARDS)
	trace.wait_reporting(3)
	for i, m in enumerate(machines):
		m.call(1000 + i)
	check_result(trace, machines, "three machines, by combiners")

	for m in machines:
		m.calls = 0
	trace = Trace(bus, probe, "-d", "600", "--live", *SHARDS)
	trace.wait_reporting(3)
	for m in machines:
		m.call(100)
	trace.wait_shown(300)
	combiners[0].kill()
	machines[0].kill_agent() # its epoch is over; what it has sent stays
	machines[0].start_agent()
	for m in machines:
		wait_for(m.is_probed, f"{m.host} is probed")
	for m in machines:
		m.call(11)
	trace.wait_shown(333)
	check_result(trace, machines, "a combiner and an agent were killed", complete=False)


def main():
	ward, *programs, probe = sys.argv[1:]
	combiners = []
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Machine(bus, host, programs) for host in HOSTS]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		for name in ("sum1", "sum2"):
			bus.enrol("combiner", name)
		bus.start()
		try:
			combiners += [combiner_start(bus, name, key) for name in ("sum1", "sum2")]
			run(bus, machines, key, probe, combiners)
		finally:
			for trace in Trace.begun: # also when a check has failed in between
				trace.process.kill()
				trace.process.wait()
			for m in machines:
				m.stop()
			for c in combiners:
				c.send_signal(signal.SIGTERM)
				c.wait()
	summary()


main()
