#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may do what on the bus (C-70 to C-74), by a real server over TLS: each allowed action works, each forbidden one
is refused by the server and logged with the name; who has no right credentials isn't let in.

Usage: permissions.py WARD BUS_TOOL [CONNECTS]
"""
import pathlib
import socket
import ssl
import subprocess
import sys

from cluster import Bus, check, summary, wait_for

# What each role may, as the design has it: a list that grows or shrinks fails here.
RIGHTS = {
	"agent": (
		"ward.hello.$ ward.part.*.0.*.$ ward.note.*.$ ward.record.*.$ ward.want.*.$",
		"ward.order.all ward.order.$ ward.beat.* ward.got.$"),
	"combiner": (
		"ward.part.*.1.*.$ ward.ready.$",
		"ward.part.*.0.> ward.beat.* ward.work.$"),
	"coordinator": (
		"ward.order.> ward.beat.* ward.got.* ward.work.* ward.out.>",
		"ward.hello.* ward.ready.* ward.part.> ward.note.> ward.record.> ward.want.> ward.beat.* ward.ask"),
	"viewer": ("ward.ask", "ward.out.>"),
}
MEMBERS = {"web1.example.net": "agent", "web2.example.net": "agent", "sum1": "combiner", "sum2": "combiner",
	"alice": "coordinator", "bob": "coordinator", "eve": "viewer"}
WEB1, WEB2 = "web1:example:net", "web2:example:net"

# From whom, on what, to whom, by which subscription. Together they use every right of every role.
REACHES = f"""
web1 ward.hello.{WEB1} alice ward.hello.*
web1 ward.part.7c.0.0.{WEB1} alice ward.part.>
web1 ward.part.7c.0.0.{WEB1} sum1 ward.part.*.0.>
web1 ward.note.7c.{WEB1} alice ward.note.>
web1 ward.record.7c.{WEB1} alice ward.record.>
web1 ward.want.7c.{WEB1} alice ward.want.>
alice ward.order.all web1 ward.order.all
alice ward.order.{WEB1} web1 ward.order.{WEB1}
alice ward.beat.7c web1 ward.beat.*
alice ward.beat.7c sum1 ward.beat.*
alice ward.beat.7c bob ward.beat.*
alice ward.got.{WEB1} web1 ward.got.{WEB1}
alice ward.work.sum1 sum1 ward.work.sum1
alice ward.out.7c.table eve ward.out.>
sum1 ward.part.7c.1.0.sum1 alice ward.part.>
sum1 ward.ready.sum1 alice ward.ready.*
eve ward.ask alice ward.ask
""".strip().split("\n")

REFUSED = f"""
web1 publish ward.hello.{WEB2}
web1 publish ward.part.7c.0.0.{WEB2}
web1 publish ward.part.7c.1.0.{WEB1}
web1 publish ward.note.7c.{WEB2}
web1 publish ward.record.7c.{WEB2}
web1 publish ward.want.7c.{WEB2}
web1 publish ward.order.all
web1 publish ward.order.{WEB2}
web1 publish ward.beat.7c
web1 publish ward.got.{WEB2}
web1 publish ward.work.sum1
web1 publish ward.out.7c.table
web1 publish ward.ready.{WEB1}
web1 publish ward.ask
web1 publish $SYS.REQ.SERVER.PING
web1 publish $JS.API.INFO
web1 publish _INBOX.a
web1 subscribe ward.hello.*
web1 subscribe ward.part.>
web1 subscribe ward.note.>
web1 subscribe ward.record.7c.{WEB1}
web1 subscribe ward.want.>
web1 subscribe ward.order.{WEB2}
web1 subscribe ward.order.*
web1 subscribe ward.got.{WEB2}
web1 subscribe ward.got.*
web1 subscribe ward.work.*
web1 subscribe ward.out.>
web1 subscribe ward.ask
web1 subscribe $SYS.>
web1 subscribe _INBOX.>
web1 subscribe >
sum1 publish ward.part.7c.0.0.{WEB1}
sum1 publish ward.part.7c.0.0.sum1
sum1 publish ward.part.7c.1.0.sum2
sum1 publish ward.ready.sum2
sum1 publish ward.hello.sum1
sum1 publish ward.order.all
sum1 publish ward.beat.7c
sum1 publish ward.got.{WEB1}
sum1 publish ward.out.7c.table
sum1 subscribe ward.part.>
sum1 subscribe ward.part.*.1.>
sum1 subscribe ward.record.>
sum1 subscribe ward.work.sum2
sum1 subscribe ward.order.all
alice publish ward.hello.{WEB1}
alice publish ward.part.7c.0.0.{WEB1}
alice publish ward.note.7c.{WEB1}
alice publish ward.record.7c.{WEB1}
alice publish ward.want.7c.{WEB1}
alice publish ward.ready.sum1
alice publish ward.ask
alice publish _INBOX.a
alice subscribe ward.order.>
alice subscribe ward.got.*
alice subscribe ward.out.>
alice subscribe >
eve publish ward.order.all
eve publish ward.order.{WEB1}
eve publish ward.beat.7c
eve publish ward.got.{WEB1}
eve publish ward.out.7c.table
eve publish ward.hello.eve
eve subscribe ward.part.>
eve subscribe ward.record.>
eve subscribe ward.note.>
eve subscribe ward.order.all
eve subscribe ward.beat.*
eve subscribe ward.>
""".strip().split("\n")


def check_rights(bus):
	"""The server's list of users is what RIGHTS says, to the letter, and no more."""
	wanted = set()
	for name, role in MEMBERS.items():
		publish, subscribe = (
			", ".join(f'"{s}"' for s in row.replace("$", name.replace(".", ":")).split()) for row in RIGHTS[role])
		wanted.add(f'{{ user: "{name}", permissions: {{ publish: {{ allow: [{publish}] }}, '
			f'subscribe: {{ allow: [{subscribe}] }} }} }}')
	found = {line.strip() for line in (bus.dir / "users.conf").read_text().split("\n") if "user:" in line}
	nobody = {line for line in found if '"_nobody"' in line}
	check("nobody has the rights of nobody", len(nobody) == 1 and all(s.count("ward.") == 0 for s in nobody), nobody)
	check("the list of users", found - nobody == wanted, found ^ wanted)
	used = {role: [set(), set()] for role in RIGHTS}
	for row in REACHES:
		sender, subject, receiver, subscription = row.split()
		used[role_of(sender)][0].add(subject)
		used[role_of(receiver)][1].add(subscription)
	for role, (publish, subscribe) in RIGHTS.items():
		check(f"every right of {role} is used", len(used[role][0]) >= len(publish.split())
			and len(used[role][1]) >= len(subscribe.split()), used[role])


def role_of(name):
	return next(role for member, role in MEMBERS.items() if member.split(".")[0] == name)


def creds(bus, name):
	return str(bus.home / next(f"{member}.creds" for member in MEMBERS if member.split(".")[0] == name))


def tool(bus, program, rows):
	"""Let the tool do rows, and say which of them failed."""
	done = subprocess.run([program, bus.url], input="\n".join(rows) + "\n", text=True, stdout=subprocess.PIPE)
	lines = done.stdout.split("\n")
	check("the tool did all rows", len(lines) == len(rows) + 1 and done.returncode in (0, 1), done)
	for row, line in zip(rows, lines):
		check(row, line.startswith("ok"), line)


def check_matrix(bus, program):
	rows = []
	for row in REACHES:
		sender, subject, receiver, subscription = row.split()
		rows.append(f"reaches {creds(bus, sender)} {subject} {creds(bus, receiver)} {subscription}")
	for row in REFUSED:
		who, action, subject = row.split()
		rows.append(f"refused {creds(bus, who)} {action} {subject}")
	tool(bus, program, rows)
	log = bus.log()
	for row in REFUSED:
		who, action, subject = row.split()
		check(f"the server's log has: {row}", any(
			("Publish" if action == "publish" else "Subscription") + " Violation" in line and subject in line
			and next(m for m in MEMBERS if m.split(".")[0] == who) in line for line in log.split("\n")))


def forge(bus, name, extension, authority="ca", usage="clientAuth", days=None):
	"""Credentials that `ward cluster enrol` doesn't make."""
	bus.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
	(bus.home / f"{name}.cnf").write_text(
		"[req]\ndistinguished_name = dn\nprompt = no\n[dn]\nCN = web1.example.net\n[ext]\n"
		f"basicConstraints = critical, CA:FALSE\nextendedKeyUsage = {usage}\n{extension}\n"
		"[ca]\ndefault_ca = c\n[c]\nnew_certs_dir = .\ndatabase = index\ndefault_md = sha256\nrand_serial = yes\n"
		"policy = p\nx509_extensions = ext\n[p]\nCN = supplied\n")
	(bus.home / "index").write_text("")
	bus.openssl("req", "-new", "-key", f"{name}.key", "-config", f"{name}.cnf", "-out", f"{name}.csr")
	bus.openssl("ca", "-batch", "-notext", "-config", f"{name}.cnf", "-cert", bus.dir.parent / authority / "ca.pem",
		"-keyfile", bus.dir.parent / authority / "ca.key", "-in", f"{name}.csr", "-out", f"{name}.crt",
		"-startdate", "20200101000000Z", "-enddate", days or "20400101000000Z")
	path = bus.home / f"{name}.creds"
	path.write_text("".join((bus.home / f).read_text() for f in (f"{name}.crt", f"{name}.key", "bus/ca.pem")))
	path.chmod(0o600)
	return f"outside {path}"


def check_strangers(bus, program):
	"""Who isn't let in (C-74), beside a forged one that is, as it is right: so the forging itself works."""
	bus.run("cluster", "init", "--dir", bus.home / "other", "--server", "localhost")
	name = "subjectAltName = DNS:web1.example.net"
	right = forge(bus, "right", name, authority="bus").split()[1]
	rows = [
		f"enters {right} 1",
		forge(bus, "expired", name, authority="bus", days="20210101000000Z"),
		forge(bus, "other-authority", name, authority="other"),
		forge(bus, "unknown", "subjectAltName = DNS:web3.example.net", authority="bus"),
		forge(bus, "star", "subjectAltName = DNS:*", authority="bus"),
		forge(bus, "no-name", "keyUsage = digitalSignature", authority="bus"),  # only in the distinguished name
		forge(bus, "nobody", "subjectAltName = DNS:nobody", authority="bus"),
		forge(bus, "for-servers", name, authority="bus", usage="serverAuth"),
	]
	(bus.home / "server.creds").write_text(
		"".join((bus.dir / f).read_text() for f in ("server.pem", "server.key", "ca.pem")))
	(bus.home / "server.creds").chmod(0o600)
	# The server's own certificate must be checked, too: one of another authority, and one of another name.
	other = (bus.home / "web1.example.net.creds").read_text().split("-----BEGIN CERTIFICATE-----")
	(bus.home / "trusts-other.creds").write_text(
		"-----BEGIN CERTIFICATE-----" + other[1] + (bus.home / "other/ca.pem").read_text())
	(bus.home / "trusts-other.creds").chmod(0o600)
	tool(bus, program, rows + [f"outside {bus.home}/server.creds", f"outside {bus.home}/trusts-other.creds"])
	bus.url = bus.url.replace("localhost", "127.0.0.1")
	tool(bus, program, [f"outside {creds(bus, 'web1')}"])
	bus.url = bus.url.replace("127.0.0.1", "localhost")


def check_without_certificate(bus):
	"""By hand, as the library won't: TLS without a certificate, then CONNECT."""
	context = ssl.create_default_context(cafile=bus.dir / "ca.pem")
	with socket.create_connection(("localhost", bus.port)) as plain:
		answer = plain.recv(65536)
		check("the server speaks first", answer.startswith(b"INFO "), answer)
		try:
			with context.wrap_socket(plain, server_hostname="localhost") as s:
				s.sendall(b"CONNECT {}\r\nPING\r\n")
				while (answer := s.recv(65536)) and b"PONG" not in answer:
					pass
		except (ssl.SSLError, ConnectionError):
			answer = b""
	check("nobody gets in without a certificate", b"PONG" not in answer, answer)
	with socket.create_connection(("localhost", bus.port)) as plain:
		plain.recv(65536)
		try:
			plain.sendall(b"CONNECT {}\r\nPING\r\n")
			while (answer := plain.recv(65536)) and b"PONG" not in answer:
				pass
		except ConnectionError:
			answer = b""
	check("nobody gets in without TLS", b"PONG" not in answer, answer)


def check_names(bus):
	"""C-70, C-71: names that can't be enrolled."""
	for name in ("*", "web*", "a..b", ".a", "a.", "web1:example:net", "Web1", "web 1", "", "-a", "a-", ">", "all", "a/b",
			"x" * 128, "a\nb", "_nobody"):
		bus.enrol("agent", name, status=2)
	bus.enrol("viewer", "web1.example.net", status=2)
	bus.enrol("king", "web9", status=2)
	check("no file is left of them", not list(bus.home.glob("*web9*")) and not list(bus.dir.glob(".new*")))


def check_changes(bus, program):
	"""A member that was taken out is out after a reload, others stay; and a new one is in."""
	bus.run("cluster", "enrol", "--dir", bus.dir, "--remove", "web2.example.net")
	bus.run("cluster", "enrol", "--dir", bus.dir, "--remove", "web2.example.net", status=2)
	bus.enrol("agent", "web4.example.net")
	before = creds(bus, "web1")
	bus.enrol("agent", "web1.example.net", "--days", "2", "-o", "renewed.creds")
	bus.reload()
	tool(bus, program, [f"outside {creds(bus, 'web2')}", f"enters {bus.home}/web4.example.net.creds 1",
		f"enters {before} 1", f"enters {bus.home}/renewed.creds 1"])


def has_ended(pid):
	"""It is no child of ours: somebody else takes its status, now or never."""
	status = pathlib.Path(f"/proc/{pid}/status")
	try:
		return "\nState:\tZ" in status.read_text()
	except (FileNotFoundError, ProcessLookupError):
		return True


def main():
	ward, program = sys.argv[1:3]
	connects = sys.argv[3] if len(sys.argv) > 3 else "40"
	with Bus(ward) as bus:
		for name, role in MEMBERS.items():
			bus.enrol(role, name)
		check_names(bus)
		check_rights(bus)
		bus.start()
		tool(bus, program, [f"enters {creds(bus, 'web1')} {connects}"])
		if len(sys.argv) == 3:
			check_matrix(bus, program)
			check_strangers(bus, program)
			check_without_certificate(bus)
			restart = bus.home / "restart"
			restart.write_text(f"#!/bin/sh\nkill -9 {bus.server.pid}\n"
				# its first thread may have ended before the others, which hold its port
				f"while grep -q '^State:.[^Z]' /proc/{bus.server.pid}/status ||\n"
				f"	[ $(ls /proc/{bus.server.pid}/task | wc -l) -gt 1 ]; do sleep 0.01; done\n"
				f"/usr/sbin/nats-server -c {bus.dir}/server.conf >>{bus.home}/second.log 2>&1 &\necho $! >{bus.home}/second\n")
			restart.chmod(0o755)
			tool(bus, program, [f"returns {creds(bus, 'alice')} ward.beat.7c {restart}"])
			second = (bus.home / "second").read_text().strip()
			subprocess.run(["kill", second])
			wait_for(lambda: has_ended(second), "the second server's end")  # the port is free then
			bus.stop()
			bus.start()
			check_changes(bus, program)
	summary()


main()
