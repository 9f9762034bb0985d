#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real machines of a cluster, for tests: an agent, its link, and a process that counts for itself; and ward trace
--cluster while it runs."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

from cluster import check, wait_for

HOSTS = ["m1.example.net", "m2.example.net", "m3.example.net"]
SITE = "cluster-counter!work"
NOBODY = 65534


class Machine:
	"""An agent, its link, and a process that counts."""
	agent_wrap = link_wrap = () # commands that run them
	agent_env = None

	def __init__(self, bus, host, programs):
		self.bus, self.host, self.urls = bus, host, [bus.url]
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
		self.calls = self.sum = 0
		self.counter = self.agent = self.link = None

	def configure(self, key, more="", sites=SITE, results="keys"):
		urls = "".join(f"url = {url}\n" for url in self.urls)
		(self.dir / "agent.conf").write_text(
			f"[bus]\n{urls}cluster = {self.bus.cluster}\n[machine]\nname = {self.host}\nlabels = role=web\n"
			f"[coordinator alice]\nkey = {key}\nmay = user\nsites = {sites}\nprocesses = exe={self.dir}/*\n"
			f"results = {results}\nmodules = any\n[limits]\npause = 10s\noverhead = 100%\n{more}")

	def start_counter(self):
		self.counter = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
		assert self.counter.stdout.readline() == "ready\n"
		self.sum = 0

	def tell(self, line):
		self.counter.stdin.write(line + "\n")
		self.counter.stdin.flush()

	def call(self, n):
		self.tell(f"{n}")
		assert self.counter.stdout.readline() == "done\n"
		self.calls += n
		self.sum += n + 3 * n * (n + 1) // 2

	def check_sum(self, what):
		"""What `work` has returned, which no probe changes."""
		self.tell("s")
		said = self.counter.stdout.readline()
		check(f"{what}: the process on {self.host} has its right result", said == f"{self.sum}\n", (said, self.sum))

	def start_agent(self):
		with open(self.dir / "agent.log", "a") as log:
			user = ("--link-user", self.user) if self.user else ()
			self.agent = subprocess.Popen([*self.agent_wrap, self.agent_program, "--config", self.dir / "agent.conf",
				"--state", self.dir / "state", "--log", self.dir / "log", "--run", self.dir / "run", *user],
				stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.agent_env)

	def start_link(self):
		with open(self.dir / "link.log", "a") as log:
			self.link = subprocess.Popen([*self.link_wrap, self.link_program, "--socket", self.dir / "run/link",
				"--creds", self.creds, "--jitter", "0.2", *(("--user", self.user) if self.user else ())],
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

	def left(self):
		"""What `ward detach` says of the process."""
		return subprocess.run([self.bus.ward, "detach", "-p", str(self.counter.pid)], text=True, stdout=subprocess.PIPE,
			stderr=subprocess.STDOUT).stdout

	def is_clean(self):
		"""Nothing of Ward's is left in the process."""
		return "nothing of Ward's is left" in self.left()

	def is_probed(self):
		"""By a tracer that lives, which has put its jump in: a mapping alone may be what a killed one has left."""
		said = subprocess.run([self.bus.ward, "detach", "-p", str(self.counter.pid), "--json"], text=True,
			stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
		return any(o["state"] == "live" and o["patches"] for o in map(json.loads, said.splitlines()))

	def logs(self):
		return "".join((self.dir / f).read_text() for f in ("agent.log", "link.log") if (self.dir / f).exists())

	def stop_agent(self):
		for process in (self.link, self.agent):
			if process and process.poll() is None:
				process.send_signal(signal.SIGCONT)
				process.terminate()
				process.wait()

	def stop(self):
		self.stop_agent()
		if self.counter:
			self.counter.stdin.close()
			check(f"{self.host}: the process ends as it should", self.counter.wait() == 0, self.counter.returncode)
			self.counter.stdout.close()


class Trace:
	"""ward trace --cluster, while it runs."""
	begun = []

	def __init__(self, bus, probe, *more, url=None, attach=None, wrap=()):
		self.lines = []
		self.text = ""
		what = ("--attach", attach) if attach else ("--process", "exe=*/cluster-counter", "-f", SITE, "--period", "0.2")
		self.process = subprocess.Popen([*wrap, bus.ward, "trace", "--cluster", url or bus.url, "--creds",
			bus.home / "alice.creds", *what, *more, *(() if attach else (probe,))], text=True,
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

	def end(self, how=signal.SIGINT):
		self.process.send_signal(how)
		self.process.wait()
		for reader in self.readers:
			reader.join()
		self.process.stdout.close()
		self.process.stderr.close()
		return self.process.returncode

	def calls(self):
		shown = re.search(r"^calls  (\d+)$", self.text, re.M)
		return next((o["value"] for o in self.lines if o.get("field") == "calls"), shown and int(shown[1]))


def check_result(trace, machines, what, complete=True):
	status = trace.end()
	wanted = sum(m.calls for m in machines)
	states = {o["machine"]: o["state"] for o in trace.of("machine")}
	check(f"{what}: the sum is what the processes have counted", trace.calls() == wanted, (trace.calls(), wanted))
	check(f"{what}: all have ended", status == (0 if complete else 3) and (not trace.lines or states == {m.host: "ended" for m in machines}),
		(status, states, trace.error, "".join(m.logs() for m in machines)))


class Query:
	"""`ward query --cluster --json` of the counters, whose rows are read while it runs."""
	def __init__(self, bus, text, *more):
		self.out, self.err = bus.home / "rows.json", bus.home / "query.err"
		with open(self.out, "w") as out, open(self.err, "w") as err:
			self.process = subprocess.Popen([bus.ward, "query", "--cluster", bus.url, "--creds", bus.home / "alice.creds",
				"--process", "exe=*/cluster-counter", "-d", "600", "--json", *more, text],
				stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=bus.env)

	def lines(self):
		return [json.loads(line) for line in self.out.read_text().splitlines()]

	def wait_reporting(self, n):
		wait_for(lambda: any(o.get("reporting") == n for o in self.lines()),
			lambda: self.err.read_text() + self.out.read_text())

	def end(self):
		self.process.send_signal(signal.SIGINT)
		status = self.process.wait()
		self.answer = [o for o in self.lines() if o.get("type") == "rows"][-1]
		self.detail = (status, self.err.read_text(), self.answer)
		return status
