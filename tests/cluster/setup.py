#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward cluster init --check names what is wrong with a set-up: of each broken one the file and the fault, and of a good
one nothing. Usage: setup.py WARD
"""
import shutil
import socket
import subprocess
import sys
import threading

from cluster import Bus, check, summary


def edit(name, old, new):
	def broken(d):
		text = (d / name).read_text()
		assert old in text, (name, old)
		(d / name).write_text(text.replace(old, new))
	return broken


def append(name, text):
	return lambda d: (d / name).write_text((d / name).read_text() + text)


def remove(name):
	return lambda d: (d / name).unlink()


def mode(name, bits):
	return lambda d: (d / name).chmod(bits)


def certificate(name, key, extension, start="20200101000000Z", end="20400101000000Z", by="ca"):
	"""A certificate of this directory's authority, or its own, as ward doesn't make it."""
	def broken(d):
		(d / "x.cnf").write_text(
			"[req]\ndistinguished_name = dn\nprompt = no\n[dn]\nCN = x\n[ext]\n" + extension +
			"subjectKeyIdentifier = hash\nauthorityKeyIdentifier = keyid\n"
			"[ca]\ndefault_ca = c\n[c]\nnew_certs_dir = .\ndatabase = index\ndefault_md = sha256\nrand_serial = yes\n"
			"policy = p\nx509_extensions = ext\n[p]\nCN = supplied\n")
		(d / "index").write_text("")
		openssl(d, "req", "-new", "-key", key, "-config", "x.cnf", "-out", "x.csr")
		by_itself = ["-selfsign"] if by is None else ["-cert", "ca.pem"]
		openssl(d, "ca", "-batch", "-notext", "-config", "x.cnf", *by_itself, "-keyfile", "ca.key", "-in", "x.csr",
			"-out", name, "-startdate", start, "-enddate", end)
	return broken


def openssl(d, *arguments):
	done = subprocess.run(["openssl", *arguments], cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
	assert done.returncode == 0, done.stderr


LEAF = "basicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:localhost\nkeyUsage = critical, digitalSignature\n"
CA = "basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign\n"


def other_authority(d):
	openssl(d, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
		"-out", "ca.pem", "-days", "9", "-subj", "/CN=other")


# What is broken, how, and what must be said.
FILES = [
	("no authority", remove("ca.pem"), "ca.pem: No such file"),
	("no key of the authority", remove("ca.key"), "ca.key: No such file"),
	("no certificate of the server", remove("server.pem"), "server.pem: No such file"),
	("no key of the server", remove("server.key"), "server.key: No such file"),
	("the authority's key for everybody", mode("ca.key", 0o644), "ca.key: others than its owner"),
	("the server's key for the group", mode("server.key", 0o640), "server.key: others than its owner"),
	("another authority", other_authority, "server.pem: unable to get local issuer certificate"),
	("an authority that is none", certificate("ca.pem", "ca.key", LEAF, by=None), "isn't the certificate of an authority"),
	("an authority that has ended", certificate("ca.pem", "ca.key", CA, end="20210101000000Z", by=None),
		"ca.pem: certificate has expired"),
	("a key of another certificate", lambda d: shutil.copy(d / "ca.key", d / "server.key"),
		"server.pem: isn't the certificate of the key"),
	("a key that is none", lambda d: (d / "server.key").write_text("x"), "server.key: is no private key"),
	("a server that has ended", certificate("server.pem", "server.key", LEAF + "extendedKeyUsage = serverAuth\n",
		end="20210101000000Z"), "server.pem: certificate has expired"),
	("a server that is still to begin", certificate("server.pem", "server.key", LEAF + "extendedKeyUsage = serverAuth\n",
		start="20390101000000Z"), "server.pem: certificate is not yet valid"),
	("a server with a client's certificate", certificate("server.pem", "server.key",
		LEAF + "extendedKeyUsage = clientAuth\n"), "server.pem: un"),
	("no configuration", remove("server.conf"), "server.conf: No such file"),
	("JetStream", append("server.conf", "jetstream: enabled\n"), "'jetstream' must not be there (C-73)"),
	("a monitoring port", append("server.conf", "http_port: 8222\n"), "'http_port' must not be there (C-73)"),
	("a user for those without", append("server.conf", "no_auth_user: web1\n"), "'no_auth_user' must not be there"),
	("websocket", append("server.conf", "websocket {\n port: 8080\n}\n"), "'websocket' must not be there (C-73)"),
	("leaf nodes", append("server.conf", "\tleafnodes { }\n"), "'leafnodes' must not be there (C-73)"),
	("clients without certificates", edit("server.conf", "verify_and_map: true", "verify: false"),
		"doesn't ask clients for certificates"),
	("no list of users in it", edit("server.conf", 'include "users.conf"', ""), "doesn't include the list of users"),
	("no TLS", edit("server.conf", "cert_file", "# cert_file"), "has no certificate of the server"),
	("no list of users", remove("users.conf"), "users.conf: No such file"),
	("a right more", edit("users.conf", '"ward.order.all"', '"ward.order.all", "ward.part.>"'),
		"users.conf: isn't what follows from the list of members (C-72)"),
	("a member more", append("members", "agent web9.example.net 4000000000\n"), "users.conf: isn't what follows"),
	("no members", remove("members"), "members: No such file"),
	("a name of two roles", append("members", "viewer alice 4000000000\n"), "a name has one role (C-71)"),
	("an unknown role", append("members", "king x 4000000000\n"), "isn't `ROLE NAME END`"),
	("a name that is none", append("members", "agent * 4000000000\n"), "isn't `ROLE NAME END`"),
]

def check_files(bus):
	good = bus.run("cluster", "init", "--check", "--dir", bus.dir)
	check("nothing is wrong with a good one", good == f"nothing is wrong with {bus.dir}\n", good)
	for what, broken, words in FILES:
		copy = bus.home / "copy"
		shutil.copytree(bus.dir, copy)
		broken(copy)
		out = bus.run("cluster", "init", "--check", "--dir", copy, status=2)
		check(what, words in out and "hint: " in out or "is no" in words and words in out, out)
		check(f"{what}: not said twice", out.count("ward: ") <= 3, out)
		shutil.rmtree(copy)
	members = (bus.dir / "members").read_text()
	bus.enrol("agent", "short.example.net", "--days", "1")
	out = bus.run("cluster", "init", "--check", "--dir", bus.dir)
	check("what ends soon is a warning", "warning: its credentials expire within two weeks (C-74)" in out, out)
	bus.run("cluster", "enrol", "--dir", bus.dir, "--remove", "short.example.net")
	check("who was taken out leaves nothing", members == (bus.dir / "members").read_text())


class Fake:
	"""A server that says one line and listens no more."""

	def __init__(self, line):
		self.line = line
		self.socket = socket.create_server(("127.0.0.1", 0))
		self.url = f"tls://127.0.0.1:{self.socket.getsockname()[1]}"
		self.thread = threading.Thread(target=self.run)

	def run(self):
		connection, _ = self.socket.accept()
		with connection:
			connection.sendall(self.line)

	def __enter__(self):
		self.thread.start()
		return self

	def __exit__(self, *_):
		self.thread.join()
		self.socket.close()


def check_server(bus, creds):
	def look(url, words, status=3, creds=creds):
		out = bus.run("cluster", "init", "--check", "--dir", bus.dir, "--cluster", url,
			*(("--creds", creds) if creds else ()),
			status=status)
		check(f"{url}: {words}", words in out, out)
		return out

	look(bus.url, "Connection refused")
	look("nats://localhost:4222", "begins with tls://", status=2)
	bus.start()
	out = look(bus.url, "nothing is wrong with", status=0)
	check("an old server is warned of", "nats-server 2.9.10 has known faults" in out or "warning" not in out, out)
	look(f"tls://127.0.0.1:{bus.port}", "certificate must name its host")
	bus.enrol("viewer", "late")  # the server hasn't read its users again
	look(bus.url, "doesn't know its name yet", creds=bus.home / "late.creds")
	bus.reload()
	look(bus.url, "nothing is wrong with", status=0, creds=bus.home / "late.creds")
	(bus.home / "late.creds").chmod(0o644)
	look(bus.url, "others than its owner may read or write this private key", status=2, creds=bus.home / "late.creds")
	shutil.copy(bus.dir / "ca.pem", bus.home / "public.creds")
	(bus.home / "public.creds").chmod(0o600)
	look(bus.url, "it has no private key", status=2, creds=bus.home / "public.creds")
	bus.stop()
	info = b'INFO {"version":"2.99.0","tls_required":true,"tls_verify":true,"auth_required":true,"max_payload":1048576}\r\n'
	for change, words in (
			(info, "nothing is wrong with"),
			(info.replace(b'"tls_required":true', b'"tls_required":false'), "doesn't require TLS (C-73)"),
			(info.replace(b'"tls_verify":true', b'"tls_verify":false'), "doesn't ask for certificates (C-73)"),
			(info.replace(b'"auth_required":true,', b''), "lets in who isn't in its list of users (C-73)"),
			(info.replace(b'"auth_required"', b'"jetstream":true,"auth_required"'), "offers JetStream (C-73)"),
			(info.replace(b'1048576', b'8388608'), "limit of a message isn't 1 MB (C-73)"),
			(info.replace(b"2.99.0", b"2.12.6"), "warning: nats-server 2.12.6 has known faults"),
			(b"HTTP/1.1 400 Bad Request\r\n\r\n", "isn't a NATS server"),
			(b"INFO [1]\r\n", "isn't a NATS server"),
			(b"INFO {" + b'"a":' * 20000, "isn't a NATS server"),
			(b"", "isn't a NATS server")):
		with Fake(change) as fake:
			look(fake.url, words, status=0 if "nothing" in words or "warning" in words else 3, creds=None)


def check_init(bus):
	out = bus.run("cluster", "init", "--dir", bus.dir, "--server", "localhost", status=2)
	check("an authority isn't written over", "there is an authority already" in out, out)
	for more, words in ((("--server", "a b"), "is no host name"), (("--server", "a\nkeyUsage=any"), "is no host name"),
			(("--server", "a", "--listen", 'x"y'), "no address to listen on"), ((), "--server HOST"),
			(("--server", "a", "--days", "0"), "--days '0'"), (("--server", "a", "x"), "takes no arguments"),
			(("--server", "a", "--creds", "x"), "go with --check")):
		out = bus.run("cluster", "init", "--dir", bus.home / "new", *more, status=2)
		check(f"init {more}", words in out, out)
	out = bus.run("cluster", "init", "--dir", "relative", "--server", "a", status=2)
	check("a relative directory", "must be a path from the root" in out, out)
	check("nothing was made", not (bus.home / "new").exists() and not (bus.home / "relative").exists())
	check("keys are their owner's", all((bus.dir / f).stat().st_mode & 0o77 == 0 for f in ("ca.key", "server.key"))
		and (bus.home / "alice.creds").stat().st_mode & 0o77 == 0)
	key = (bus.home / "alice.key").read_text()
	out = bus.enrol("coordinator", "alice")
	check("a renewed coordinator keeps its key", key == (bus.home / "alice.key").read_text(), out)


def main():
	with Bus(sys.argv[1]) as bus:
		creds = bus.enrol("coordinator", "alice")
		bus.enrol("agent", "web1.example.net")
		check_init(bus)
		check_files(bus)
		check_server(bus, creds)
	summary()


main()
