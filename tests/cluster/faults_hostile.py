# SPDX-License-Identifier: Apache-2.0
"""Rows of the matrix of faults: machines, coordinators and links that mean harm."""
import json
import os
import re
import socket
import subprocess

from cluster import check, wait_for
from machines import NOBODY, SITE
from stage import kill

ROWS = ("machine_hostile", "coordinator_hostile", "link_hostile", "two_of_one_name")
LIAR = "liar.example.net"
MOST_KB = 64 << 10


def _peak(pid):
	with open(f"/proc/{pid}/status", encoding="utf-8") as status:
		return int(re.search(r"^VmHWM:\s*(\d+) kB", status.read(), re.M)[1])


def machine_hostile(stage):
	"""It sends each kind of bad partial, thousands of them: no number of others changes, and no memory goes."""
	stage.begin()
	stage.bus.enrol("agent", LIAR)
	stage.bus.reload()
	liar = subprocess.Popen([stage.programs["sims"], stage.bus.url, stage.bus.home, f"{LIAR}=spoils"],
		stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
	check("the liar is there", liar.stdout.readline() == "ready\n")
	trace = stage.trace()
	before = _peak(trace.process.pid)
	stage.call()
	wait_for(lambda: any(o["machine"] == LIAR and o["state"] == "inconsistent" for o in trace.of("machine")),
		lambda: f"it is out: {stage.said(trace)}")
	stage.call()
	for m in stage.machines:
		stage.wait_partials(trace.query, m, 2)
	check("memory", _peak(trace.process.pid) - before < MOST_KB, (before, _peak(trace.process.pid)))
	stage.expect("a machine is hostile", trace, {LIAR: "inconsistent"}, out=(LIAR,))
	liar.communicate("")


def _audit(machine):
	with open(machine.dir / "log/audit.jsonl", encoding="utf-8") as audit:
		return [json.loads(line) for line in audit]


def _audit_whole(stage, machine):
	said = subprocess.run([stage.programs["agent"], "--check", "--config", machine.dir / "agent.conf", "--state",
		machine.dir / "state2", "--log", machine.dir / "log"], text=True, stdout=subprocess.PIPE,
		stderr=subprocess.STDOUT, check=False)
	check("the audit is whole", said.returncode == 0 or "C-61" not in said.stdout, said.stdout)


def coordinator_hostile(stage):
	"""Each of its orders is refused for its own reason, nothing is attached, and each has its line in the audit."""
	stage.begin()
	trace = stage.trace() # so that all links are there; a replay of its order is one of the bad ones, too
	stage.call()
	seen = {m: len(_audit(m)) for m in stage.machines}
	done = subprocess.run([stage.programs["bad_orders"], stage.bus.url, stage.bus.home / "alice.creds",
		stage.bus.home / "alice.key", os.path.dirname(stage.programs["module"]), SITE, "exe=*/cluster-counter"],
		text=True, stdout=subprocess.PIPE, check=True)
	rules = done.stdout.split()
	check("there were orders", len(rules) == 7, rules)
	for m in stage.machines:
		def missing(m=m):
			lines = _audit(m)[seen[m]:]
			return [r for r in rules if not any(o.get("verdict") == "refused" and f"({r}" in o.get("why", "") for o in lines)]
		wait_for(lambda: not missing(), lambda: f"{m.host}: a line for each of {missing()}: {m.logs()[-900:]}")
		check("nothing was accepted", not any(o.get("verdict") == "accepted" for o in _audit(m)[seen[m]:]))
	stage.call()
	stage.expect("a coordinator is hostile", trace)
	for m in stage.machines:
		_audit_whole(stage, m)


def link_hostile(stage):
	"""Who comes in the link's place, and sends what is none, is cut off; the link that comes next goes on."""
	stage.begin()
	trace = stage.trace()
	stage.call()
	m = stage.machines[0]
	kill(m.link)
	bad = (b"nonsense", b"", b"\0" * 65536, b"\1\0\0\0" + b"\xff" * 60)
	for packet in bad:
		with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
			s.connect(str(m.dir / "run/link"))
			while s.recv(1 << 17): # settings come, and the worker's partials
				try:
					s.send(packet)
				except (BrokenPipeError, ConnectionResetError):
					break
				if not packet:
					break # an empty packet is the end of it
	check("the agent goes on", m.agent.poll() is None)
	stage.call()
	m.start_link()
	stage.wait_shown(trace, "the link that came next")
	stage.expect("a link is hostile", trace)


def two_of_one_name(stage):
	"""Both are counted, and it is said; who has one name can't be known to have ended, so it isn't complete."""
	stage.begin()
	first, second = stage.machines[:2]
	second.stop_agent()
	second.host, host, creds, second.creds = first.host, second.host, second.creds, first.creds
	second.configure(stage.key)
	second.start_agent()
	second.start_link()
	try:
		trace = stage.trace(reporting=2)
		stage.wait_probed()
		stage.call()
		stage.wait_shown(trace, "both are counted")
		# Some seconds after the newest epoch has begun, a partial of the other one is known for a twin's.
		stage.wait_partials(trace.query, stage.machines[2], 20)
		status = trace.end()
		got = {o["machine"]: o for o in trace.of("machine")}
		check("the sum of both", trace.calls() == sum(m.calls for m in stage.machines), (trace.calls(), got))
		check("that there are two is said", got[first.host].get("two_of_this_name"), got)
		check("it isn't complete", status == 3, status)
	finally:
		second.stop_agent()
		second.host, second.creds = host, creds
	stage.expect_clean("two of one name")
