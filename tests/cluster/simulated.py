# SPDX-License-Identifier: Apache-2.0
"""Made-up machines on a real bus, and commands that run beside each other, for tests."""
import json
import subprocess
import threading

from cluster import check, wait_for

HOSTS = ["web1.example.net", "web2.example.net", "web3.example.net", "web4.example.net"]


class Machines:
	"""Each counts by itself while its query runs."""
	begun = []

	def __init__(self, bus, sims, *hosts):
		self.process = subprocess.Popen([sims, bus.url, str(bus.home), *hosts], stdin=subprocess.PIPE,
			stdout=subprocess.PIPE, text=True)
		self.begun.append(self)
		check("the machines are there", self.process.stdout.readline() == "ready\n")

	def counts(self):
		"""What each has counted, and how many of its epochs were acknowledged."""
		out, _ = self.process.communicate("")
		self.begun.remove(self)
		return {line.split()[0]: (int(line.split()[1]), int(line.split()[2])) for line in out.splitlines()}


class Process:
	"""A command, whose output is read while it runs."""
	begun = []

	def __init__(self, bus, arguments):
		self.out = self.err = ""
		self.read_to = 0
		self.process = subprocess.Popen([str(a) for a in arguments], text=True, stdin=subprocess.DEVNULL,
			stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
		self.begun.append(self)
		self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read_out, self.read_err)]
		for reader in self.readers:
			reader.start()

	def read_out(self):
		for line in self.process.stdout:
			self.out += line

	def read_err(self):
		for line in self.process.stderr:
			self.err += line

	def lines(self):
		return [json.loads(line) for line in self.out[:self.out.rfind("\n") + 1].splitlines()]

	def until(self, condition):
		"""The first line from now on that is so; None: the process has ended without one."""
		found = []

		def look():
			ended = self.process.poll() is not None and not any(r.is_alive() for r in self.readers)
			lines = self.lines()
			found.extend(o for o in lines[self.read_to:] if condition(o))
			self.read_to = len(lines)
			return found or ended
		wait_for(look, lambda: f"a line: {self.said()}")
		return found[0] if found else None

	def end(self, how=None):
		if how:
			self.process.send_signal(how)
		self.status = self.process.wait()
		for reader in self.readers:
			reader.join()
		self.process.stdout.close()
		self.process.stderr.close()
		self.begun.remove(self)
		return self

	def said(self):
		return (self.process.poll(), self.out[-1500:], self.err[-1500:])

	@classmethod
	def end_all(cls):
		"""Also when a check has failed in between."""
		for process in list(cls.begun):
			process.process.kill()
			process.end()
		for machines in list(Machines.begun):
			machines.counts()


def trace_command(bus, *arguments, creds="alice"):
	return [bus.ward, "trace", "--cluster", bus.url, "--creds", bus.home / f"{creds}.creds", "--process", "exe=*",
		"--period", "0.2", *arguments]


def lines_of(text, kind):
	return [o for o in map(json.loads, text.splitlines()) if o["type"] == kind]


def calls_of(text):
	"""As the last line says."""
	return [o for o in map(json.loads, text.splitlines()) if o.get("field") == "calls"][-1]["value"]
