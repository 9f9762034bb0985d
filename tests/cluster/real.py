#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real agents and links on a real bus with TLS, real processes that count for themselves, and ward trace --cluster: the
result is what the processes have counted, through the death of an agent, of a link and of the bus. A link has no right
and no file but its own.

Usage: real.py WARD AGENT LINK COUNTER PROBE
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, NOBODY, SITE, Machine, Trace, check_result


def check_rights(machine):
	"""What the kernel says of the link, and of the agent."""
	status = pathlib.Path(f"/proc/{machine.link.pid}/status").read_text()
	fields = dict(re.findall(r"^(\w+):[ \t]*(.*)$", status, re.M))
	for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
		check(f"the link's {name}", int(fields[name], 16) == 0, fields[name])
	check("the link's user", not machine.user or set(fields["Uid"].split()) == {str(NOBODY)}, fields["Uid"])
	check("and groups", not machine.user or set((fields["Gid"] + " " + fields["Groups"]).split()) == {str(NOBODY)},
		(fields["Gid"], fields["Groups"]))
	check("it gets no new ones", fields["NoNewPrivs"] == "1", fields["NoNewPrivs"])
	files = [os.readlink(f) for f in pathlib.Path(f"/proc/{machine.link.pid}/fd").iterdir()]
	kinds = ("socket:", "anon_inode:", "pipe:", "/dev/null", "/dev/urandom", str(machine.dir / "link.log"))
	check("it has no file open but its own", all(f.startswith(kinds) for f in files), files)
	network = "".join(pathlib.Path(f"/proc/net/{f}").read_text() for f in ("tcp", "tcp6", "udp", "udp6", "raw", "packet"))
	for pid in [machine.agent.pid, *machine.workers()]:
		for f in pathlib.Path(f"/proc/{pid}/fd").iterdir():
			inode = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f))
			check("the agent has no socket of the network", not inode or f" {inode[1]} " not in network, (pid, f))


def main():
	ward, *programs, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Machine(bus, host, programs) for host in HOSTS]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			run(bus, machines, key, probe)
		finally:
			for trace in Trace.begun: # also when a check has failed in between
				trace.process.kill()
				trace.process.wait()
			for m in machines:
				m.stop()
	summary()


def run(bus, machines, key, probe):
	for m in machines:
		m.configure(key)
		m.start_counter()
		m.start_agent()
		m.start_link()
	first = machines[0]

	trace = Trace(bus, probe, "-d", "600", "--json")
	trace.wait_reporting(3)
	for i, m in enumerate(machines):
		m.call(1000 + i)
	check_rights(first)
	check_result(trace, machines, "three machines")

	for m in machines:
		m.calls = 0
	trace = Trace(bus, probe, "-d", "600", "--live")
	trace.wait_reporting(3)
	for m in machines:
		m.call(100)
	trace.wait_shown(300)
	first.kill_agent() # its epoch is over; what it has sent stays
	first.start_agent()
	wait_for(lambda: "epoch 3" in first.logs(), "a third epoch")
	machines[1].link.kill()
	machines[1].link.wait()
	machines[1].start_link()
	bus.stop(signal.SIGKILL)
	bus.start()
	for m in machines:
		wait_for(m.is_probed, f"{m.host} is probed")
	for m in machines:
		m.call(11)
	trace.wait_shown(333)
	check_result(trace, machines, "an agent, a link and the bus were killed", complete=False)
	check("the machine that wasn't in it all the time is named", f"{first.host} was out of the result" in trace.error,
		trace.error)
	check_query(bus, machines)
	check_apart(bus, machines, probe)
	check_roll(bus, machines, probe)


def check_apart(bus, machines, probe):
	"""Of each machine what it has counted; of machines with one label; and of all but one."""
	for options, wanted in ((["--by", "machine"], {m.host: 5 + i for i, m in enumerate(machines)}),
			(["--by", "label=role"], {"web": 5 + 6 + 7}), (["--without", machines[0].host], {None: 6 + 7})):
		trace = Trace(bus, probe, "-d", "600", "--json", *options)
		trace.wait_reporting(3)
		for i, m in enumerate(machines):
			m.call(5 + i)
		check(f"{options}: complete", trace.end() == 0, trace.error)
		calls = next(o for o in trace.lines if o.get("field") == "calls")
		got = ({next(iter(e["key"].values())): e["value"] for e in calls["entries"]} if "entries" in calls
			else {None: calls["value"]})
		check(f"{options}: what each has counted", got == wanted, (got, calls))


def check_roll(bus, machines, probe):
	"""Who is there, what runs there, and an end to it."""
	reach = ("--cluster", bus.url, "--creds", bus.home / "alice.creds")
	said = bus.run("cluster", "machines", *reach)
	for m in machines:
		check(f"{m.host} is there", re.search(rf"^{m.host} +idle +role=web", said, re.M), said)
	check("and nobody else", len(said.splitlines()) == 1 + len(machines), said)
	check("nothing runs", bus.run("cluster", "queries", *reach) == "no query runs on 3 machines\n", "")
	trace = Trace(bus, probe, "-d", "600", "--json")
	trace.wait_reporting(3)
	query = trace.of("cluster")[-1]["query"]
	check("it runs on three", bus.run("cluster", "queries", *reach) == f"{query}  on 3 of 3 machines\n", query)
	lines = [json.loads(line) for line in bus.run("cluster", "machines", *reach, "--json").splitlines()]
	check("each says so", [o["queries"] for o in lines] == [[query]] * 3, lines)
	check("it is ended", bus.run("cluster", "cancel", *reach, query) == f"{query} has ended\n", "")
	wait_for(lambda: not any("ward-code" in pathlib.Path(f"/proc/{m.counter.pid}/maps").read_text() for m in machines),
		"no probe is left")
	trace.end()
	check("another one isn't there", "no machine runs it" in bus.run("cluster", "cancel", *reach, query, status=3), "")


def check_query(bus, machines):
	"""More keys than a map has slots: none is lost, and each is counted on all machines."""
	keys = 10000
	with open(bus.home / "rows.json", "w") as out, open(bus.home / "query.err", "w") as err:
		query = subprocess.Popen([bus.ward, "query", "--cluster", bus.url, "--creds", bus.home / "alice.creds",
			"--process", "exe=*/cluster-counter", "--period", "0.2", "-d", "600", "--json",
			f'Function("{SITE}").CountBy(arg0)'], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=bus.env)
	rows = lambda: [json.loads(line) for line in (bus.home / "rows.json").read_text().splitlines()]
	wait_for(lambda: any(o.get("reporting") == 3 for o in rows()), "three machines report")
	for m in machines:
		m.call(keys)
	query.send_signal(signal.SIGINT)
	status = query.wait()
	said = (bus.home / "query.err").read_text()
	answer = [o for o in rows() if o.get("type") == "rows"]
	check("the query is complete", status == 0 and answer and answer[-1]["complete"], (status, said, answer[-1:]))
	counts = {row["arg0"]: row["count"] for row in answer[-1]["rows"]}
	check("each key is counted on each machine", counts == {i: 3 for i in range(1, keys + 1)}, (len(counts), said))


main()
