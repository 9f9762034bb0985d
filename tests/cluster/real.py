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
import shutil
import signal
import subprocess
import sys
import threading

from cluster import Bus, check, summary, wait_for

HOSTS = ["m1.example.net", "m2.example.net", "m3.example.net"]
SITE = "cluster-counter!work"
NOBODY = 65534


class Machine:
	"""An agent, its link, and a process that counts."""
	def __init__(self, bus, host, programs):
		self.bus, self.host = bus, host
		self.agent_program, self.link_program, counter = programs
		self.dir = bus.home / host
		(self.dir / "run").mkdir(parents=True)
		self.program = shutil.copy(counter, self.dir / "cluster-counter")
		self.creds = bus.enrol("agent", host)
		self.user = None
		if os.geteuid() == 0: # the link has a user of its own
			self.user = "nobody"
			os.chown(self.creds, NOBODY, NOBODY)
			for folder in (bus.home, self.dir, self.dir / "run"):
				folder.chmod(0o711)
		self.calls = 0
		self.counter = self.agent = self.link = None

	def configure(self, key, more=""):
		(self.dir / "agent.conf").write_text(
			f"[bus]\nurl = {self.bus.url}\ncluster = {self.bus.cluster}\n[machine]\nname = {self.host}\nlabels = role=web\n"
			f"[coordinator alice]\nkey = {key}\nmay = user\nsites = {SITE}\nprocesses = exe={self.dir}/*\nresults = keys\n"
			f"modules = any\n[limits]\npause = 10s\noverhead = 100%\n{more}")

	def start_counter(self):
		self.counter = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
		assert self.counter.stdout.readline() == "ready\n"

	def call(self, n):
		self.counter.stdin.write(f"{n}\n")
		self.counter.stdin.flush()
		assert self.counter.stdout.readline() == "done\n"
		self.calls += n

	def start_agent(self):
		with open(self.dir / "agent.log", "a") as log:
			self.agent = subprocess.Popen([self.agent_program, "--config", self.dir / "agent.conf", "--state", self.dir / "state",
				"--log", self.dir / "log", "--run", self.dir / "run", *(("--link-user", self.user) if self.user else ())], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

	def start_link(self):
		with open(self.dir / "link.log", "a") as log:
			self.link = subprocess.Popen([self.link_program, "--socket", self.dir / "run/link", "--creds", self.creds,
				"--jitter", "0.2", *(("--user", self.user) if self.user else ())],
				stdout=log, stderr=log, stdin=subprocess.DEVNULL)

	def workers(self):
		"""The agent's children."""
		text = pathlib.Path(f"/proc/{self.agent.pid}/task/{self.agent.pid}/children").read_text()
		return [int(pid) for pid in text.split()]

	def kill_agent(self):
		"""All of its processes, and none can react to another's end."""
		os.kill(self.agent.pid, signal.SIGSTOP)
		for pid in self.workers():
			os.kill(pid, signal.SIGKILL)
		self.agent.kill()
		self.agent.wait()

	def is_probed(self):
		"""By a tracer that lives, which has put its jump in: a mapping alone may be what a killed one has left."""
		said = subprocess.run([self.bus.ward, "detach", "-p", str(self.counter.pid), "--json"], text=True,
			stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
		return any(o["state"] == "live" and o["patches"] for o in map(json.loads, said.splitlines()))

	def logs(self):
		return "".join((self.dir / f).read_text() for f in ("agent.log", "link.log") if (self.dir / f).exists())

	def stop(self):
		for process in (self.link, self.agent):
			if process:
				process.terminate()
				process.wait()
		if self.counter:
			self.counter.stdin.close()
			check(f"{self.host}: the process ends as it should", self.counter.wait() == 0, self.counter.returncode)
			self.counter.stdout.close()


class Trace:
	"""ward trace --cluster, while it runs."""
	begun = []

	def __init__(self, bus, probe, *more):
		self.lines = []
		self.text = ""
		self.process = subprocess.Popen([bus.ward, "trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds",
			"--process", "exe=*/cluster-counter", "-f", SITE, "--period", "0.2", *more, probe], text=True,
			stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
		self.begun.append(self)
		self.error = ""
		self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read, self.read_error)]
		for reader in self.readers:
			reader.start()

	def read_error(self):
		for line in self.process.stderr:
			self.error += line

	def read(self):
		for line in self.process.stdout:
			self.text += line
			if line.startswith("{"):
				self.lines.append(json.loads(line))

	def of(self, kind):
		return [o for o in self.lines if o.get("type") == kind]

	def wait_reporting(self, n):
		wait_for(lambda: re.search(rf"\b{n} reporting", self.error) or
			(self.of("cluster") and self.of("cluster")[-1]["reporting"] == n), f"{n} machines report")

	def wait_shown(self, calls):
		"""On the table that is drawn anew each second."""
		wait_for(lambda: re.search(rf"calls  {calls}\b", self.error), f"{calls} calls are shown")

	def end(self):
		self.process.send_signal(signal.SIGINT)
		self.process.wait()
		for reader in self.readers:
			reader.join()
		self.process.stdout.close()
		self.process.stderr.close()
		return self.process.returncode

	def calls(self):
		shown = re.search(r"^calls  (\d+)$", self.text, re.M)
		return next((o["value"] for o in self.lines if o.get("field") == "calls"), shown and int(shown[1]))


def check_result(trace, machines, what):
	status = trace.end()
	wanted = sum(m.calls for m in machines)
	states = {o["machine"]: o["state"] for o in trace.of("machine")}
	check(f"{what}: the sum is what the processes have counted", trace.calls() == wanted, (trace.calls(), wanted))
	check(f"{what}: all have ended", status == 0 and (not trace.lines or states == {m.host: "ended" for m in machines}),
		(status, states, trace.error, "".join(m.logs() for m in machines)))


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
	check_result(trace, machines, "an agent, a link and the bus were killed")
	check_query(bus, machines)
	check_roll(bus, machines, probe)


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
