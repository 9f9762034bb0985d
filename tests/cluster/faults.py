#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks that misbehave: the links of two of three machines go through a proxy that delays, stalls, loses and changes
what they say. Whatever it does, the result is what the processes have counted, to the last call, and nothing is left in
a process. The faults come in an order by the seed.

Usage: faults.py WARD AGENT LINK COUNTER PROBE PROXY [SEED]
"""
import os
import random
import re
import subprocess
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, Machine, Trace, check_result

FAULTS = ["delay 300", "cut", "flip", "stall up", "stall down", "lose up", "lose down", "refuse"]


class Proxy:
	def __init__(self, program, port):
		self.process = subprocess.Popen([program, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
		self.port = int(self.process.stdout.readline())

	def do(self, what):
		self.process.stdin.write(what + "\n")
		self.process.stdin.flush()
		check(f"the proxy does {what}", self.process.stdout.readline() == "done\n", what)

	def end(self):
		self.process.stdin.close()
		check("the proxy ends", self.process.wait() == 0)
		self.process.stdout.close()


def run(bus, machines, proxies, probe):
	"""During each fault processes go on counting; after it the table has all of that."""
	trace = Trace(bus, probe, "-d", "600", "--json", "--grace", "30")
	trace.wait_reporting(3)
	for fault in random.sample(FAULTS, len(FAULTS)):
		for proxy in proxies:
			proxy.do(fault)
		for m in machines:
			m.call(random.randrange(1, 1000))
		for proxy in proxies:
			proxy.do("pass")
		counted = sum(m.calls for m in machines)
		wait_for(lambda: trace.of("cluster")[-1].get("events") == counted, f"after {fault}: {counted} calls")
		check(f"{fault}: no machine is out", trace.of("cluster")[-1].get("inconsistent", 0) == 0, trace.lines[-1])
	check_result(trace, machines, "in the end")


def main():
	ward, *programs, probe, proxy = sys.argv[1:7]
	seed = int(sys.argv[7]) if len(sys.argv) > 7 else random.randrange(1 << 32)
	print(f"seed {seed}")
	random.seed(seed)
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		machines = [Machine(bus, host, programs) for host in HOSTS]
		bus.start()
		proxies = [Proxy(proxy, bus.port) for _ in range(2)]
		for m, p in zip(machines, proxies):
			m.url = f"tls://localhost:{p.port}"
		try:
			for m in machines:
				m.configure(re.search(r"^key = (\S+)$", said, re.M)[1])
				m.start_counter()
				m.start_agent()
				m.start_link()
			run(bus, machines, proxies, probe)
		finally:
			for m in machines:
				m.stop()
			for p in proxies:
				p.end()
	summary()


main()
