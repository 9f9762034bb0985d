#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward agent --check names what is wrong with a machine's set-up, of each broken one the fault and a way out, and
nothing of a good one; it changes nothing. And ward agent runs both programs, until it is told to end.

Usage: agent_setup.py WARD
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from cluster import Bus, check, summary, wait_for

HOST = "web1.example.net"


def conf(old, new):
	def broken(d):
		text = (d / "agent.conf").read_text()
		assert old in text, old
		(d / "agent.conf").write_text(text.replace(old, new))
	return broken


def put(name, text):
	return lambda d: (d / name).write_text(text)


def mode(name, bits):
	return lambda d: (d / name).chmod(bits)


def append(text):
	return lambda d: (d / "agent.conf").write_text((d / "agent.conf").read_text() + text)


def other_creds(name):
	return lambda d: shutil.copy(d.parent / f"{name}.creds", d / "bus.creds")


def mixed(d):
	"""The certificate of one, and the key of another."""
	blocks = [(d.parent / f"{n}.creds").read_text().split("-----BEGIN ") for n in (HOST, "web2.example.net")]
	text = "".join("-----BEGIN " + (two if "PRIVATE" in two[:40] else one) for one, two in zip(*(b[1:] for b in blocks)))
	(d / "bus.creds").write_text(text)


def file_for_directory(d):
	shutil.rmtree(d / "state")
	(d / "state").write_text("")


def audit_of(lines):
	return put("log/audit.jsonl", lines)


# What is broken, how, the words that must be said, and the exit status.
SETUPS = [
	("no configuration", lambda d: (d / "agent.conf").unlink(), "agent.conf: it can't be read: No such file", 3),
	("a configuration that others may write", mode("agent.conf", 0o666), "others than root can write it (C-63)", 2),
	("an unknown key", conf("may = user", "mai = user"), 'agent.conf:7:1: there is no key "mai"', 2),
	("no cluster", conf("cluster = default\n", ""), "this section has no cluster", 2),
	("a bus without TLS", conf("tls://", "nats://"), "a bus is tls://HOST:PORT", 2),
	("a name that is none", conf(f"name = {HOST}", "name = web_1"), "a machine's name is letters, digits", 2),
	("nobody's orders", lambda d: (d / "agent.conf").write_text((d / "agent.conf").read_text().split("[coord")[0]),
		"no coordinator may order anything (C-42)", 3),
	("a key that is none", conf("key = RW", "key = XX"), "this is no key as minisign prints it", 2),
	("a coordinator that may nothing", conf("may = user", "may = take-over"), "`may` names no probes (C-50)", 2),
	("no sites", conf("sites = libc.so.6!*\n", ""), "it may probe no function: there are no sites (C-51)", 2),
	("a site without a function", conf("sites = libc.so.6!*", "sites = libc"), '"libc" fits no function', 2),
	("all sites taken away", conf("results", "not-sites = libc*!*\nresults"), "not-sites takes all sites away (C-52)", 2),
	("no processes", conf("processes = exe=/usr/*\n", ""), "it may probe no process", 2),
	("a user that isn't there", conf("exe=/usr/*", "user=no-such-user"), '"user=no-such-user" fits no process', 2),
	("a program without a path", conf("exe=/usr/*", "exe=nginx"), '"exe=nginx" fits no process', 2),
	("an import that isn't there", conf("results", "imports = ward_clok\nresults"), 'there is no import "ward_clok"', 2),
	("signed modules without a reviewer", conf("modules = any", "modules = signed"), "there is no reviewer (C-56)", 2),
	("the kernel, which isn't allowed", conf("may = user", "may = user kernel"), "doesn't allow (C-58)", 2),
	("the kernel, without its module", lambda d: (conf("may = user", "may = user kernel")(d),
		append("[kernel]\nallow = yes\n")(d)), "the kernel module `ward` isn't loaded", 3),
	("a limit of nothing", append("[limits]\nsites = 0\n"), "sites in section [limits] is so small", 2),
	("a lease that no beat can hold", append("[limits]\nlease = 1s\n"), "lease in section [limits] is so small", 2),
	("a file for a directory", file_for_directory, "state is no directory", 3),
	("a directory of everybody", mode("state", 0o777), "state: others than root can write it", 3),
	("an epoch that is none", put("state/epoch", "x\n"), "epoch isn't a number (C-62)", 2),
	("orders that nobody has written", put("state/orders", "x\n"), "orders isn't as the agent has written it (C-47)", 2),
	("an audit that was changed", audit_of('{"event":"x","before":"00"}\n'), "audit.jsonl", 2),
	("no credentials", lambda d: (d / "bus.creds").unlink(), "bus.creds: No such file", 2),
	("credentials for everybody", mode("bus.creds", 0o644), "others than its owner may read or write", 2),
	("credentials without a key", put("bus.creds", "nothing\n"), "it has no certificate", 2),
	("another machine's credentials", other_creds("web2.example.net"), "isn't of this machine (C-70)", 2),
	("credentials that have ended", other_creds("old"), "its certificate has expired (C-74)", 2),
	("a key of another certificate", mixed, "its certificate isn't of its private key", 2),
	("another authority", other_creds("foreign"), "certificate", 3),
	("a machine that was taken out", lambda d: (conf(f"name = {HOST}", "name = gone.example.net")(d),
		other_creds("gone.example.net")(d)), "doesn't know its name yet", 3),
	("a coordinator's credentials", lambda d: (conf(f"name = {HOST}", "name = alice")(d), other_creds("alice")(d)),
		"doesn't let these credentials be an agent's", 3),
	("a bus that doesn't run", conf("url = ", "url = tls://127.0.0.1:1\nurl = "), "tls://127.0.0.1:1: ", 3),
	("a bus of another name", conf("tls://localhost", "tls://127.0.0.1"), "certificate must name its host", 3),
	("a path that is too long", lambda d: None, "the path is too long", 2, "--run", "/run/" + "x" * 120),
	("a link's user that isn't there", lambda d: None, "there is no such user", 2, "--link-user", "no-such-user"),
]

# What the kernel or a unit takes away: how the command is run, and what must be said.
RIGHTS = [
	("no right to attach", ["setpriv", "--bounding-set=-sys_ptrace"], "it can probe processes of this user only"),
	("no right to measure", ["setpriv", "--bounding-set=-perfmon,-sys_admin"], "the limit of overhead doesn't hold"),
	("no room on the disk", ["unshare", "-m", "sh", "-c",
		'mount -t tmpfs -o size=64k,mode=755 none "$LOG" && exec "$@"', "sh"], "there is less than 1 MiB of room"),
	("no place to write", ["unshare", "-m", "sh", "-c",
		'mount -t tmpfs -o ro,mode=755 none "$LOG" && exec "$@"', "sh"], "can't be written: Read-only file system"),
]


class Machine:
	def __init__(self, bus, key):
		self.bus, self.home = bus, bus.home / "machine"
		self.home.mkdir()
		for name in ("state", "log", "run"):
			(self.home / name).mkdir(mode=0o755)
		(self.home / "agent.conf").write_text(
			f"[bus]\nurl = {bus.url}\ncluster = default\n[machine]\nname = {HOST}\n[coordinator alice]\nmay = user\n"
			f"key = {key}\nsites = libc.so.6!*\nprocesses = exe=/usr/*\nresults = keys\nmodules = any\n")
		shutil.copy(bus.home / f"{HOST}.creds", self.home / "bus.creds")

	def command(self, d, *more):
		return [self.bus.ward, "agent", "--config", d / "agent.conf", "--state", d / "state", "--log", d / "log",
			"--run", d / "run", "--creds", d / "bus.creds", *more]

	def check(self, d, *more, around=()):
		done = subprocess.run([*around, *self.command(d, "--check", *more)], text=True, stdin=subprocess.DEVNULL,
			stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, LOG=str(d / "log")))
		return done.returncode, done.stdout


def make_old(bus):
	"""Credentials that were this machine's, and have ended."""
	d = bus.home / "old"
	d.mkdir()
	(d / "cnf").write_text(
		"[req]\ndistinguished_name = dn\nprompt = no\n[dn]\nCN = x\n[ext]\nbasicConstraints = critical, CA:FALSE\n"
		f"subjectAltName = DNS:{HOST}\nkeyUsage = critical, digitalSignature\nextendedKeyUsage = clientAuth\n"
		"[ca]\ndefault_ca = c\n[c]\nnew_certs_dir = .\ndatabase = index\ndefault_md = sha256\nrand_serial = yes\n"
		"policy = p\nx509_extensions = ext\n[p]\nCN = supplied\n")
	(d / "index").write_text("")
	for arguments in (
			("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key"),
			("req", "-new", "-key", "key", "-config", "cnf", "-out", "csr"),
			("ca", "-batch", "-notext", "-config", "cnf", "-cert", bus.dir / "ca.pem", "-keyfile", bus.dir / "ca.key", "-in",
				"csr", "-out", "pem", "-startdate", "20200101000000Z", "-enddate", "20210101000000Z")):
		subprocess.run(["openssl", *arguments], cwd=d, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
	creds_write(bus.home / "old.creds", d / "pem", d / "key", bus.dir / "ca.pem")


def creds_write(path, *parts):
	path.touch(mode=0o600)
	path.write_text("".join(p.read_text() for p in parts))


def make_foreign(bus):
	"""The same name, by another authority."""
	bus.run("cluster", "init", "--dir", bus.home / "other", "--server", "localhost")
	bus.run("cluster", "enrol", "--dir", bus.home / "other", "--role", "agent", HOST, "-o", bus.home / "foreign.creds")


def files(d):
	return {str(p): (p.stat().st_mode, p.stat().st_mtime_ns) for p in d.rglob("*")}


def check_good(machine):
	before = files(machine.home)
	status, out = machine.check(machine.home)
	check("nothing is wrong with a good one", status == 0 and f"{HOST} is ready: 1 coordinator, cluster default" in out,
		(status, out))
	check("what a coordinator may is said", "alice may probe processes at libc.so.6!*; gets numbers and keys; by any" in out,
		out)
	check("nothing was changed", before == files(machine.home))


def check_broken(machine):
	for what, broken, words, wanted, *more in SETUPS:
		d = machine.home.parent / "copy"
		shutil.copytree(machine.home, d)
		broken(d)
		before = files(d)
		status, out = machine.check(d, *more)
		said = [line for line in out.splitlines() if line.startswith("ward: ") and ": warning: " not in line]
		check(what, words in out and "hint: " in out and status == wanted, (status, out))
		check(f"{what}: one fault is said once, or what follows from it", 1 <= len(said) <= 2, out)
		check(f"{what}: nothing was changed", before == files(d))
		shutil.rmtree(d)


def check_rights(machine):
	for what, around, words in RIGHTS:
		can = subprocess.run([*around, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
			env=dict(os.environ, LOG=str(machine.home / "log"))).returncode == 0
		if "measure" in what:
			can = can and int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 0
		if not can:
			print(f"skipped: {what}: it can't be had on this machine")
			continue
		status, out = machine.check(machine.home, around=around)
		check(what, words in out and status == 3 and "hint: " in out, (status, out))


def link_of(agent):
	path = pathlib.Path(f"/proc/{agent.pid}/task/{agent.pid}/children")
	pids = path.read_text().split()
	names = {pid: pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids}
	return next((int(pid) for pid, name in names.items() if name == "ward-agent-link"), None)


def check_foreground(machine):
	"""One command is a whole agent: it says hello, its link is started again when it is killed, and both end."""
	creds = machine.bus.home / "alice.creds"

	def machines():
		return machine.bus.run("cluster", "machines", "--cluster", machine.bus.url, "--creds", creds)
	with open(machine.home / "log.txt", "w") as log:
		agent = subprocess.Popen(machine.command(machine.home), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
	try:
		wait_for(lambda: HOST in machines(), lambda: "a hello: " + (machine.home / "log.txt").read_text())
		first = link_of(agent)
		check("its link is its child", first is not None)
		os.kill(first, signal.SIGKILL)
		wait_for(lambda: link_of(agent) not in (None, first), "another link")
		wait_for(lambda: HOST in machines(), "a hello of the other link")
		last = link_of(agent)
		agent.send_signal(signal.SIGTERM)
		check("it ends", agent.wait() == 0, (machine.home / "log.txt").read_text())
		check("it says what limits can't be had here", "workers have no cgroup of their own: " in
			(machine.home / "log.txt").read_text(), (machine.home / "log.txt").read_text())
		check("so does its link", not pathlib.Path(f"/proc/{last}").exists())
	finally:
		if agent.poll() is None:
			agent.kill()
			agent.wait()


def main():
	if os.geteuid() != 0:
		print("skipped: an agent is root's")
		sys.exit(77)
	with Bus(sys.argv[1]) as bus:
		key = re.search("RW.{54}", bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")).group()
		for name in (HOST, "web2.example.net", "gone.example.net"):
			bus.enrol("agent", name)
		bus.start()
		bus.run("cluster", "enrol", "--dir", bus.dir, "--remove", "gone.example.net")
		bus.reload()
		make_old(bus)
		make_foreign(bus)
		machine = Machine(bus, key)
		check_good(machine)
		check_broken(machine)
		check_rights(machine)
		check_foreground(machine)
	summary()


main()
