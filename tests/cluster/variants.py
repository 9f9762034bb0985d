#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules for several builds, on real machines: each program is probed with the module for its build-id, each kernel's
machine takes the one for its own, and who has none says so and makes the result incomplete. Kernels are faked where
they say which build they are: a file stands over /sys/kernel/notes.

Usage: variants.py WARD AGENT LINK DIR-OF-COUNTERS DIR-OF-MODULES
"""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, Machine, Trace

KERNELS = ["11" * 20, "22" * 20, "33" * 20]


def build_id(program):
	said = subprocess.run(["readelf", "-n", program], text=True, stdout=subprocess.PIPE, check=True).stdout
	return re.search(r"Build ID: (\w+)", said)[1]


def notes(kernel):
	return struct.pack("<III4s", 4, len(kernel) // 2, 3, b"GNU\0") + bytes.fromhex(kernel)


def check_programs(machines, bus, modules):
	"""The first build counts one a call, the second a thousand; the third has the probe for all others, or none."""
	second = f"{build_id(machines[1].program)}={modules / 'thousand.ward'}"
	trace = Trace(bus, modules / "count.ward", "-d", "600", "--json", "--variant", second)
	trace.wait_reporting(3)
	for i, m in enumerate(machines):
		m.call(5 + i)
	status = trace.end()
	check("each program has its module", status == 0 and trace.calls() == 5 + 1000 * 6 + 7, (status, trace.calls(), trace.error))

	first = f"{build_id(machines[0].program)}={modules / 'count.ward'}"
	trace = Trace(bus, f"--variant={second}", "--variant", first, "-d", "600", "--json") # and no probe
	trace.wait_reporting(2)
	for i, m in enumerate(machines):
		m.call(5 + i)
	wait_for(lambda: any("no module for program" in json.dumps(o) for o in trace.lines), lambda: trace.error)
	status = trace.end()
	check("what no module is for isn't counted", trace.calls() == 5 + 1000 * 6, trace.calls())
	check("and it is named, and makes the result incomplete", status == 3 and
		any(f"no module for program {build_id(machines[2].program)} (C-150)" in json.dumps(o) for o in trace.lines),
		(status, trace.lines))
	for m in machines:
		m.check_sum("whatever was counted")
		check(f"{m.host}: nothing is left", m.is_clean())


def ask_kernel(bus, *more):
	done = subprocess.run([bus.ward, "trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--kernel", "-d", "3",
		"--json", "-f", "kernel:sched:sched_switch", *more], text=True, stdin=subprocess.DEVNULL,
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
	lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
	return done.returncode, {o["machine"]: o for o in lines if o.get("type") == "machine"}, done.stderr


def last_order(machine):
	lines = (machine.dir / "log/audit.jsonl").read_text().splitlines()
	return [o for o in map(json.loads, lines) if o["event"] == "order"][-1]


def check_kernels(machines, bus, modules):
	files = [modules / "kernel.ward", modules / "kernel_thousand.ward"]
	status, said, error = ask_kernel(bus, *(x for k, f in zip(KERNELS, files) for x in ("--variant", f"{k}={f}")))
	check("without all machines the result isn't complete", status == 3, (status, said, error))
	for machine, file in zip(machines, files):
		order = last_order(machine)
		check(f"{machine.host} takes the module for its kernel", order["verdict"] == "accepted" and
			order["taken"] == [hashlib.sha256(file.read_bytes()).hexdigest()], order)
	said_kernels = {o["machine"]: o["build_id"] for o in map(json.loads, bus.run("cluster", "machines", "--json", "--cluster",
		bus.url, "--creds", bus.home / "alice.creds").splitlines())}
	check("kernels are shown", said_kernels == dict(zip(HOSTS, KERNELS)), said_kernels)
	last = machines[2].host
	check("who has none says so", said[last]["state"] == "refused" and
		f"no module for kernel {KERNELS[2]} (C-59)" in said[last]["reason"], said)
	check("nothing of it was taken there", last_order(machines[2])["verdict"] == "refused")

	subprocess.run([bus.ward, "query", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "-d", "2",
		'Function("kernel!ksys_sync").CountBy(machine)'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
		stderr=subprocess.DEVNULL, env=bus.env)
	for machine in machines:
		order = last_order(machine)
		check("a query of the kernel's functions is for each kernel", order["verdict"] == "accepted" and
			order["kernel"] == 1 and len(order["taken"]) == 1, order)

	status, said, error = ask_kernel(bus, modules / "kernel_reads.ward")
	check("a module that reads the kernel's memory must say of which", status == 2 and "(C-151)" in error, (status, error))


def check_usage(bus, modules):
	for arguments, words in (
			(("--variant", "xyz", f"{modules}/count.ward"), "wants a build-id in hexadecimal digits"),
			(("--variant", "12=a.c", f"{modules}/count.ward"), "--variant wants a module"),
			(("--variant", f"12={modules}/count.ward", "--variant", f"12={modules}/count.ward", f"{modules}/count.ward"),
				"two modules for this build"),
			(("--variant", f"12={modules}/reads.ward", f"{modules}/count.ward"), "isn't as that of the first (C-46)"),
			(("--variant", "12=/no/such.ward"), "/no/such.ward"),
			(("--attach", "1" * 32, "--variant", f"12={modules}/count.ward"), "takes no --variant")):
		out = bus.run("trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--process", "exe=/x", "-f", "a!b",
			*arguments, status=2)
		check(f"{arguments}: {words}", words in out, out)


def main():
	ward, agent, link, counters, modules = sys.argv[1:]
	modules = pathlib.Path(modules).resolve()
	if subprocess.run(["unshare", "-m", "mount", "--bind", "/dev/null", "/sys/kernel/notes"],
			stderr=subprocess.DEVNULL).returncode:
		print("skipped: nothing can stand over /sys/kernel/notes here")
		sys.exit(77)
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Machine(bus, host, (agent, link, pathlib.Path(counters) / f"cluster-counter{build}"))
			for host, build in zip(HOSTS, ("", "-2", "-3"))]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			for m, kernel in zip(machines, KERNELS):
				(m.dir / "notes").write_bytes(notes(kernel))
				m.agent_wrap = ("unshare", "-m", "sh", "-c",
					f'mount --bind {m.dir}/notes /sys/kernel/notes && exec "$@"', "sh")
				m.configure(key, more="[kernel]\nallow = yes\n", sites="cluster-counter!work kernel:sched:* kernel!ksys_*")
				conf = (m.dir / "agent.conf").read_text().replace("may = user", "may = user kernel")
				(m.dir / "agent.conf").write_text(conf)
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_usage(bus, modules)
			check_programs(machines, bus, modules)
			check_kernels(machines, bus, modules)
		finally:
			for trace in Trace.begun:
				trace.process.kill()
				trace.process.wait()
			for m in machines:
				m.stop()
	summary()


main()
