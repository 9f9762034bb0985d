# SPDX-License-Identifier: Apache-2.0
"""A bus for tests: an authority, credentials and a nats-server on loopback, on a port and in a directory of its own."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 30
failures = 0


def check(what, ok, detail=""):
	global failures
	if not ok:
		failures += 1
		print(f"FAIL: {what}: {detail}")


def summary():
	print(f"{failures} failed" if failures else "all passed")
	sys.exit(1 if failures else 0)


def wait_for(condition, what):
	"""Wait for a state, never for a time."""
	end = time.monotonic() + PATIENCE
	while not condition():
		if time.monotonic() > end:
			raise TimeoutError(what() if callable(what) else what)
		time.sleep(0.005)


class Bus:
	def __init__(self, ward):
		self.ward = str(pathlib.Path(ward).resolve())
		self.holder = tempfile.TemporaryDirectory(prefix="ward-cluster-")
		self.home = pathlib.Path(self.holder.name)
		self.dir = self.home / "bus"
		self.server = None
		with socket.socket() as s:
			s.bind(("127.0.0.1", 0))
			self.port = s.getsockname()[1]
		self.url = f"tls://localhost:{self.port}"
		self.run("cluster", "init", "--dir", self.dir, "--server", "localhost", "--listen", f"127.0.0.1:{self.port}")

	def run(self, *arguments, status=0):
		"""Run ward; its standard output and error together."""
		done = subprocess.run([self.ward, *map(str, arguments)], cwd=self.home, text=True, stdin=subprocess.DEVNULL,
			stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
		check("ward " + " ".join(map(str, arguments)), done.returncode == status,
			f"status {done.returncode}: {done.stdout}")
		return done.stdout

	def enrol(self, role, name, *more, status=0):
		self.run("cluster", "enrol", "--dir", self.dir, "--role", role, name, *more, status=status)
		return self.home / f"{name}.creds"

	def openssl(self, *arguments, text=""):
		subprocess.run(["openssl", *map(str, arguments)], cwd=self.home, input=text, text=True, check=True,
			stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

	def log(self):
		return (self.home / "server.log").read_text()

	def start(self, config="server.conf"):
		with open(self.home / "server.log", "a") as log:
			before = log.tell()
			self.server = subprocess.Popen(["/usr/sbin/nats-server", "-c", self.dir / config], stdout=log,
				stderr=log, stdin=subprocess.DEVNULL)

		def ready():
			if self.server.poll() is not None:
				raise RuntimeError("the server ended: " + self.log())
			return "Server is ready" in self.log()[before:]
		wait_for(ready, "the server's start")

	def reload(self):
		before = len(self.log())
		self.server.send_signal(signal.SIGHUP)
		wait_for(lambda: re.search("Reloaded server configuration|Failed to reload", self.log()[before:]), "a reload")

	def stop(self, how=signal.SIGTERM):
		if self.server:
			self.server.send_signal(how)
			self.server.wait()
			self.server = None

	def __enter__(self):
		return self

	def __exit__(self, *_):
		self.stop()
		self.holder.cleanup()
