#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward query on real agents whose coordinator is killed: one that comes back has the text of the order, and makes the
same rows of it, on the same computer or on another one. What is in no window any more is said. A text that names a file,
one that asks something else than the order's module counts, and an order without a text are refused.

Usage: attach_query.py WARD AGENT LINK COUNTER PROBE
"""
import base64
import ctypes
import ctypes.util
import json
import os
import re
import signal
import struct
import sys

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, SITE, Machine
from simulated import Process, lines_of

TEXT = f'Function("{SITE}").Where(arg0 % every == 0).CountBy(new {{ machine, asked = Now / 1.ms }})'
USED = """struct most { long most; };
static void most_reset(struct most *m) { m->most = 0; }
static void most_add(struct most *m, long x) { if (x > m->most) m->most = x; }
static void most_merge(struct most *into, const struct most *from) { if (from->most > into->most) into->most = from->most; }
"""


class Asked(Process):
	"""A command by somebody, on a computer of its own."""
	def __init__(self, bus, who, computer, *arguments, command="query"):
		env, bus.env = bus.env, dict(bus.env, XDG_STATE_HOME=str(bus.home / computer))
		super().__init__(bus, [bus.ward, command, "--cluster", bus.url, "--creds", bus.home / f"{who}.creds", "--json",
			*arguments])
		bus.env = env

	def reporting(self, n):
		o = self.until(lambda o: o["type"] == "cluster" and o["reporting"] == n)
		check(f"{n} machines report", o, self.said())
		return o and o["query"]

	def counted(self, events):
		check(f"{events} events", self.until(lambda o: o["type"] == "cluster" and o["events"] == events), self.said())

	def kill(self):
		self.process.kill()
		self.end()

	def answer(self):
		found = lines_of(self.out, "rows")
		return found[-1] if found else {"rows": [], "complete": None}


def begin(bus, machines, text, *more):
	for m in machines:
		m.calls = 0
	first = Asked(bus, "alice", "alice", "--process", "exe=*/cluster-counter", "--period", "0.2", "-d", "600", *more, text)
	query = first.reporting(len(machines))
	for m in machines:
		wait_for(m.is_probed, f"{m.host} is probed")
	return first, query


def call(machines, n):
	for i, m in enumerate(machines):
		m.call(n + 2 * i)


def check_rows(bus, machines):
	"""Rows after an attach are those of a coordinator that was there all the time."""
	for who, computer in (("alice", "alice"), ("bob", "bob")):
		what = f"by {who}"
		first, query = begin(bus, machines, TEXT, "-D", "every=2", "--every", "0.2")
		call(machines, 1000)
		half = sum(m.calls for m in machines) // 2
		row = first.until(lambda o: o["type"] == "rows" and sum(row["count"] for row in o["rows"]) == half)
		check("rows so far", row, first.said())
		first.kill()
		call(machines, 500)
		again = Asked(bus, who, computer, "--attach", query, "--expect", bus.home / "expected")
		again.reporting(len(machines))
		again.end(signal.SIGINT)
		wanted = {m.host: m.calls // 2 for m in machines}
		got = {row["machine"]: row["count"] for row in again.answer()["rows"]}
		check(f"{what}: rows are what the processes have counted", got == wanted, (wanted, again.said()))
		check(f"{what}: complete", again.status == 0 and again.answer()["complete"], again.said())
		asked = {row["asked"] for o in (row, again.answer()) for row in o["rows"]}
		check(f"{what}: `Now` is when it was asked first", len(asked) == 1, asked)
		for m in machines:
			wait_for(lambda m=m: not m.is_probed(), f"{m.host} is free of probes")
	for m in machines:
		audit = (m.dir / "log" / "audit.jsonl").read_text()
		texts = [o.get("text") for o in map(json.loads, audit.splitlines()) if o["event"] == "order"]
		check(f"{m.host}: the audit has the text", texts == [TEXT] * 2, texts)


def check_windows(bus, machines):
	"""Windows that were acknowledged are nowhere any more: their events are in all, and in no window. Others come."""
	first, query = begin(bus, machines, f'Function("{SITE}").Window(1.s).Count()', "--every", "0.2")
	for i in range(4): # three windows are shown, so all machines have heard that the first one is here
		call(machines, 100)
		first.counted(sum(m.calls for m in machines))
		shown = first.until(lambda o: o["type"] == "rows" and o["rows"])
		check("a window is shown", shown, first.said())
	first.kill()
	call(machines, 10)
	again = Asked(bus, "alice", "alice", "--attach", query)
	again.reporting(len(machines))
	again.end(signal.SIGINT)
	answer = again.answer()
	said = re.search(r"(\d+) events are in no window", " ".join(answer.get("lacks", [])))
	check("events in no window are said", said, again.said())
	check("the result isn't complete", again.status == 3 and not answer["complete"], again.said())
	rows = sum(row["count"] for row in answer["rows"])
	check("windows, and what is in none, are all", said and rows > 0 and rows + int(said[1]) == sum(m.calls for m in machines),
		(rows, said and said[0], sum(m.calls for m in machines)))


def check_refused(bus, machines, probe):
	(bus.home / "most.c").write_text(USED)
	first, query = begin(bus, machines, f'Function("{SITE}").Use("{bus.home}/most.c", arg0)')
	first.kill()
	said = Asked(bus, "alice", "alice", "--attach", query).end()
	check("a text reads no file", said.status == 1 and "reads no file" in said.err, (said.status, said.err))
	fields = Asked(bus, "alice", "alice", "--attach", query, command="trace")
	fields.reporting(len(machines))
	said = Asked(bus, "alice", "alice", "--attach", query, f'Function("{SITE}").Count()').end()
	check("it takes no text", said.status == 2 and "takes none" in said.err, said.err)
	said = Asked(bus, "alice", "alice", "--attach", query, "-D", "a=1").end()
	check("it takes no -D", said.status == 2 and "as it was asked" in said.err, said.err)
	check("its fields are to be had", fields.end(signal.SIGINT).status == 0, fields.said())
	trace = Asked(bus, "alice", "alice", "--process", "exe=*/cluster-counter", "-f", SITE, probe, command="trace")
	query = trace.reporting(len(machines))
	said = Asked(bus, "alice", "elsewhere", "--attach", query).end()
	check("a probe has no text", said.status == 2 and "has no text of ward query" in said.err, (said.status, said.err))
	check("and goes on", trace.end(signal.SIGINT).status == 0, trace.said())


def check_types(bus, machines):
	"""Types of a program are read by who has asked, and for nobody else's text."""
	text = f'Function("{SITE}").Process({machines[0].counter.pid}).CountBy(x > 0)'
	first = Asked(bus, "alice", "alice", "--period", "0.2", "-d", "600", text)
	query = first.reporting(1)
	first.kill()
	said = Asked(bus, "bob", "bob", "--attach", query).end()
	check("types aren't read for another one's text", said.status == 1 and "C-142" in said.err, (said.status, said.err))
	again = Asked(bus, "alice", "alice", "--attach", query)
	again.reporting(1)
	again.end(signal.SIGINT)
	check("they are for the own text", [row["count"] for row in again.answer()["rows"]] == [], again.said())


def sign_again(bus, journal, old, new):
	"""Put another text of the same length into the order of a journal, signed by alice, who may."""
	sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
	seed = base64.b64decode((bus.home / "alice.key").read_text().splitlines()[1])[-32:]
	public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(64)
	sodium.crypto_sign_seed_keypair(public, secret, seed)
	data = bytearray(journal.read_bytes())
	name_size, size = struct.unpack_from("<I", data, 12)[0], struct.unpack_from("<Q", data, 24)[0]
	start = 40 + name_size
	order = bytes(data[start:start + size])
	at = order.index(b"\x22\x40") + 2 # the signature: field 4, 64 bytes
	tail = order[at + 64:]
	shift = next(i for i in range(1, 8) if not tail[i] & 0x80) + 1 # the body: a byte of its field, then its length
	body = tail[shift:]
	assert len(old) == len(new) and body.count(old) == 1, (old, body)
	body = body.replace(old, new)
	message, signature = b"ward order 1\0" + body, ctypes.create_string_buffer(64)
	sodium.crypto_sign_detached(signature, None, message, ctypes.c_ulonglong(len(message)), secret)
	data[start:start + size] = order[:at] + signature.raw + tail[:shift] + body
	total = 0xcbf29ce484222325
	for byte in data[8:32] + data[40:start + size]:
		total = (total ^ byte) * 0x100000001b3 & (1 << 64) - 1
	struct.pack_into("<Q", data, 32, total)
	journal.write_bytes(data)


def check_other_text(bus, machines):
	text = f'Function("{SITE}").CountBy(arg0)'
	first, query = begin(bus, machines, text)
	first.kill()
	journal = bus.home / "alice/ward/queries" / query
	before = text
	for other, why in (("Sum(arg0)    ", "asks something else here than its machines count (C-143)"),
			("CountBy(\x1brg0)", "characters that control a terminal (C-142)")):
		sign_again(bus, journal, before.encode(), text.replace("CountBy(arg0)", other).encode())
		before = text.replace("CountBy(arg0)", other)
		said = Asked(bus, "alice", "alice", "--attach", query).end()
		check(why, said.status == 1 and why in said.err and "\x1b" not in said.err, (said.status, said.err))
	sign_again(bus, journal, before.encode(), text.encode())
	again = Asked(bus, "alice", "alice", "--attach", query)
	again.reporting(len(machines))
	check("with its own text it is gone on with", again.end(signal.SIGINT).status == 0, again.said())


def main():
	ward, *programs, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, USER="alice")
		keys = {}
		for who in ("alice", "bob"):
			said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", who)
			keys[who] = re.search(r"^key = (\S+)$", said, re.M)[1]
		machines = [Machine(bus, host, programs) for host in HOSTS]
		(bus.home / "expected").write_text("\n".join(HOSTS))
		bus.start()
		try:
			for m in machines:
				m.configure(keys["alice"], f"[coordinator bob]\nkey = {keys['bob']}\nmay = take-over\n")
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_rows(bus, machines)
			check_windows(bus, machines)
			check_refused(bus, machines, probe)
			check_types(bus, machines)
			check_other_text(bus, machines)
		finally:
			Process.end_all()
			for m in machines:
				m.stop()
	summary()


main()
