#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster end to end: a real bus with TLS, three agents with their links, processes that count for themselves, and
ward trace --cluster. The result equals what the processes have counted, also when a worker or a whole agent is killed;
a machine that is gone is named; nothing is left in a process.

Usage: live.py WARD AGENT LINK COUNTER PROBE
"""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from cluster import Bus, check, summary, wait_for

HOSTS = ["web1.example.net", "web2.example.net", "web3.example.net"]


class Counter:
	"""A process of a machine, known there by its file's name."""

	def __init__(self, path, code=None):
		"""`code`: the first bytes of `work` without a probe, if there may be one already."""
		self.calls = 0
		self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
		self.line("ready")
		symbols = subprocess.run(["nm", path], text=True, stdout=subprocess.PIPE, check=True).stdout
		offset = int(re.search("([0-9a-f]+) [tT] work\n", symbols).group(1), 16)
		with open(f"/proc/{self.process.pid}/maps") as maps:
			first = next(line for line in maps if line.rstrip().endswith(f" {path}"))  # Ward's code may be below it
		self.address = offset + int(first.split("-")[0], 16)
		self.code = code or self.read()

	def read(self):
		"""The first bytes of `work`. Nothing is stopped for that, which would keep an agent from attaching."""
		with open(f"/proc/{self.process.pid}/mem", "rb", buffering=0) as memory:
			memory.seek(self.address)
			return memory.read(5)

	def is_probed(self):
		return self.read() != self.code

	def line(self, expected):
		got = self.process.stdout.readline()
		check(f"the process says {expected}", got == expected + "\n", got)

	def work(self, n):
		self.process.stdin.write(f"{n}\n")
		self.process.stdin.flush()
		self.line("done")
		self.calls += n

	def end(self):
		self.process.stdin.close()
		check("the process goes on to its right end", self.process.wait() == 0)


class Machine:
	"""An agent and its link, in a directory of their own."""

	def __init__(self, bus, programs, host, key):
		self.bus, self.host, (self.agent_program, self.link_program, counter) = bus, host, programs
		self.home = bus.home / host
		for name in ("", "state", "log", "run"):
			(self.home / name).mkdir()
		self.program = self.home / "counter"
		shutil.copy(counter, self.program)
		self.creds = bus.home / f"{host}.creds"
		(self.home / "agent.conf").write_text(
			f"[bus]\nurl = {bus.url}\nca = {bus.dir}/ca.pem\ncluster = default\n"
			f"[machine]\nname = {host}\nlabels = role=web\n"
			f"[coordinator alice]\nkey = {key}\nmay = user\nsites = counter!*\nprocesses = exe={self.home}/*\n"
			"results = keys\nmodules = any\n[limits]\npause = 10s\noverhead = 100%\n")
		self.counters = [Counter(self.program), Counter(self.program)]
		self.start()

	def is_free(self):
		"""The last worker of a killed agent has ended: it holds the lock of the directory."""
		with open(self.home / "state/lock", "a") as lock:
			try:
				fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
				return True
			except BlockingIOError:
				return False

	def start(self):
		wait_for(self.is_free, "the end of the agent before")
		(self.home / "run/link").unlink(missing_ok=True)
		self.log = open(self.home / "log.txt", "a")
		self.agent = subprocess.Popen([self.agent_program, "--config", self.home / "agent.conf", "--state",
			self.home / "state", "--log", self.home / "log", "--run", self.home / "run", "--link-user", "root"],
			stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
		wait_for(lambda: (self.home / "run/link").exists() or self.agent.poll() is not None, "the agent's socket")
		self.link = subprocess.Popen([self.link_program, "--socket", self.home / "run/link", "--creds", self.creds],
			stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

	def kill(self):
		"""The whole of it, at once."""
		for process in (self.agent, self.link):
			if process.poll() is None:
				process.kill()
				process.wait()
		self.log.close()

	def stop(self):
		for process in (self.link, self.agent):
			if process.poll() is None:
				process.terminate()
				process.wait()
		self.log.close()

	def calls(self):
		return sum(c.calls for c in self.counters)

	def said(self):
		return (self.home / "log.txt").read_text()


class Trace:
	def __init__(self, bus, probe, *arguments):
		self.text, self.reporting = "", 0
		self.process = subprocess.Popen([bus.ward, "trace", "--cluster", bus.url, "--creds", bus.home / "alice.creds",
			"--process", "exe=*/counter", "-f", "counter!work", "--json", "--period", "0.2", *arguments, probe],
			stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
			env=dict(os.environ, XDG_STATE_HOME=str(bus.home / "state")))

	def until(self, condition):
		"""Read lines until one is so; False: none was."""
		for line in self.process.stdout:
			self.text += line
			if condition(json.loads(line)):
				return True
		return False

	def end(self, machines, how=signal.SIGINT):
		if how:
			self.process.send_signal(how)
		out, self.err = self.process.communicate()
		self.text += out
		lines = [json.loads(line) for line in self.text.splitlines()]
		self.calls = next((o["value"] for o in lines if o.get("field") == "calls"), None)
		self.states = {o["machine"]: o["state"] for o in lines if o["type"] == "machine"}
		self.epochs = {o["machine"]: o.get("epoch") for o in lines if o["type"] == "machine"}
		self.detail = (self.process.returncode, self.text[-600:], self.err, [m.said()[-500:] for m in machines])


def reporting(n):
	return lambda o: o["type"] == "cluster" and o["reporting"] == n


def wait_for_probes(machines, there=True):
	"""A machine reports once its first process has its probe: the others must have theirs, too."""
	for m in machines:
		for c in m.counters:
			wait_for(lambda c=c: c.is_probed() == there, lambda: f"a probe put on or taken off: {m.host} {m.said()}")


def work(machines, n):
	for m in machines:
		for c in m.counters:
			c.work(n)
			n += 111


def check_sum(bus, machines, probe):
	before = sum(m.calls() for m in machines)
	trace = Trace(bus, probe, "-d", "60")
	check("all report", trace.until(reporting(3)), "")
	wait_for_probes(machines)
	work(machines, 1000)
	machines[1].counters.append(Counter(machines[1].program, machines[1].counters[0].code))  # it starts later
	wait_for_probes(machines)
	work(machines, 100)
	trace.end(machines)
	check("exit status 0: complete", trace.process.returncode == 0, trace.detail)
	check("the result is what the processes have counted", trace.calls == sum(m.calls() for m in machines) - before,
		(trace.calls, trace.detail))
	check("all have ended", trace.states == dict.fromkeys(HOSTS, "ended"), trace.states)


def check_killed_agent(bus, machines, probe):
	"""The whole agent is killed; it comes back with a new epoch, and what it had sent stays in the result."""
	before = sum(m.calls() for m in machines)
	trace = Trace(bus, probe, "-d", "120", "--grace", "20")
	check("all report", trace.until(reporting(3)), "")
	wait_for_probes(machines)
	work(machines, 500)
	sent = sum(m.calls() for m in machines) - before
	victim = machines[0]
	# What an agent hasn't sent is lost with it.
	check("all was sent", trace.until(lambda o: o["type"] == "cluster" and o["events"] == sent), sent)
	victim.kill()
	victim.start()
	check("it is back", trace.until(lambda o: o["type"] == "machine" and o["machine"] == victim.host
		and o.get("epoch", 0) >= 2 and o["state"] == "reporting"), (sent, victim.said()[-2000:]))
	wait_for_probes(machines)
	work(machines, 300)
	trace.end(machines)
	check("the result after a kill is what the processes have counted",
		trace.calls == sum(m.calls() for m in machines) - before, (trace.calls, trace.detail))
	check("the time without an agent isn't in it", trace.process.returncode == 3, trace.detail)


def check_gone(bus, machines, probe):
	"""A machine that is gone for good is named, and the exit status says so."""
	# The agent that comes back goes on with the query, until its lease ends.
	trace = Trace(bus, probe, "-d", "120", "--grace", "2", "--lease", "6")
	check("all report", trace.until(reporting(3)), "")
	machines[2].kill()
	check("it is lost", trace.until(lambda o: o["type"] == "machine" and o["machine"] == machines[2].host
		and o["state"] == "lost"), "")
	trace.end(machines)
	check("exit status 3", trace.process.returncode == 3, trace.detail)
	check("who is lost", trace.states == dict(zip(HOSTS, ("ended", "ended", "lost"))), trace.states)


def check_nothing_left(bus, machines):
	machines[2].start()  # it cleans up what the killed one has left
	wait_for_probes(machines, there=False)
	for m in machines:
		for c in m.counters:
			wait_for(lambda c=c: "nothing of Ward's is left" in subprocess.run([bus.ward, "detach", "-p",
				str(c.process.pid)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout, "a clean process")


def main():
	ward, agent, link, counter, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.enrol("coordinator", "alice")
		key = re.search("RW.{54}", bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")).group()
		for host in HOSTS:
			bus.enrol("agent", host)
		machines = []
		try:
			bus.start()
			machines = [Machine(bus, (agent, link, counter), host, key) for host in HOSTS]
			check_sum(bus, machines, probe)
			check_killed_agent(bus, machines, probe)
			check_gone(bus, machines, probe)
			check_nothing_left(bus, machines)
		finally:
			for m in machines:
				m.stop()
				for c in m.counters:
					c.end()
	summary()


main()
