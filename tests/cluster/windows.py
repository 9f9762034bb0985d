#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Windows on real machines: processes that do so many calls in the middle of each second, on three agents, of which one
has a clock that is 300 ms behind, and one whose clock jumps. Windows add up to all calls; the jump is said. What a
cluster's windows can't have is refused by name. Rows while a query runs, as differences, as metrics, and as a page.

Usage: windows.py WARD AGENT LINK COUNTER CLOCK
"""
import json
import os
import re
import struct
import sys
import time
import urllib.request

from cluster import Bus, check, summary, wait_for
from machines import HOSTS, SITE, Machine, Query

SECONDS, CALLS = 5, (100, 110, 120)


class Skewed(Machine):
	def __init__(self, bus, host, programs, clock):
		super().__init__(bus, host, programs)
		self.off = self.dir / "off"
		self.set_clock(0)
		options = os.environ.get("ASAN_OPTIONS")
		self.agent_env = dict(os.environ, LD_PRELOAD=clock, CLOCK_OFF=str(self.off),
			ASAN_OPTIONS=(options + ":" if options else "") + "verify_asan_link_order=0")

	def set_clock(self, seconds):
		with open(self.off, "r+b" if self.off.exists() else "wb") as f:
			f.write(struct.pack("q", int(seconds * 1e9)))


def tick(machines, at):
	"""The calls of one second, in its middle. false: they came too late to be sure."""
	time.sleep(max(0, at + 0.45 - time.time()))
	for m, calls in zip(machines, CALLS):
		m.call(calls)
	return time.time() < at + 0.6


def check_windows(bus, machines):
	query = Query(bus, f'Function("{SITE}").Window(1.s).CountBy(machine)')
	query.wait_reporting(3)
	for m in machines:
		wait_for(m.is_probed, f"{m.host} is probed")
		m.calls = 0
	first = int(time.time()) + 1
	sure = [at for at in range(first, first + SECONDS) if tick(machines, at)]
	machines[2].set_clock(3)
	tick(machines, first + SECONDS)
	machines[2].set_clock(1)
	tick(machines, first + SECONDS + 1)
	check("complete", query.end() == 0 and query.answer["complete"], query.detail)
	rows = query.answer["rows"]
	for m, calls in zip(machines, CALLS):
		own = {row["window"]: row["count"] for row in rows if row["machine"] == m.host}
		check(f"{m.host}: windows add up to all calls", sum(own.values()) == m.calls, (own, m.calls))
		same = sum(1 for count in own.values() if count == calls)
		check(f"{m.host}: a window has the calls of its second", same >= len(sure) // 2, (same, sure, own))
	notes = [note for note in query.answer.get("notes", []) if "has jumped" in note]
	check("the jump is said, of the one that has jumped", len(notes) == 1 and HOSTS[2] in notes[0], query.detail)
	machines[2].set_clock(0)


def check_shown(bus, machines):
	"""What came since the last time adds up to all; metrics have what there is; the page has the rows."""
	page = bus.home / "page.html"
	query = Query(bus, f'Function("{SITE}").CountBy(machine)', "--every", "0.2", "--deltas", "--period", "0.2", "--html",
		page, "--openmetrics", "0")
	query.wait_reporting(3)
	url = re.search(r"^metrics are at (\S+)", query.err.read_text(), re.M)[1]
	metrics = lambda: urllib.request.urlopen(url).read().decode()
	for n in (10, 20):
		for m in machines:
			wait_for(m.is_probed, f"{m.host} is probed")
			m.call(n)
		wait_for(lambda: metrics().count(f" {10 if n == 10 else 30}\n") >= 3, lambda: metrics())
	check("complete", query.end() == 0, query.detail)
	answers = [o["rows"] for o in query.lines() if o.get("type") == "rows"]
	for m in machines:
		counts = [row["count"] for rows in answers for row in rows if row["machine"] == m.host]
		check(f"{m.host}: all that came is all there is", sum(counts[:-1]) == counts[-1] == 30, counts)
		check(f"{m.host} is on the page", m.host in page.read_text(), "")


def check_processes(bus, machines):
	"""Rows by process, of two on one machine, of which one ends; and by program, where both are one."""
	first = machines[0]
	other = Machine.__new__(Machine)
	other.__dict__.update(first.__dict__)
	other.start_counter()
	texts = (f'Function("{SITE}").CountBy(new {{ machine, pid, process }})',
		f'Function("{SITE}").CountBy(process)', f'Function("{SITE}").Window(1.h).CountBy(pid)')
	for text in texts:
		query = Query(bus, text, "--period", "0.2")
		query.wait_reporting(3)
		for m, n in zip((*machines, other), (3, 4, 5, 6)):
			wait_for(m.is_probed, f"{m.host} is probed")
			m.call(n)
		if text == texts[0]:
			other.counter.stdin.close() # what it has counted stays
			other.counter.wait()
		check("complete", query.end() == 0, query.detail)
		rows = query.answer["rows"]
		pids = [(m.counter.pid, n) for m, n in zip((*machines, other), (3, 4, 5, 6))]
		if text == texts[0]:
			wanted = {(m.host, pid, "cluster-counter", n) for m, (pid, n) in zip((*machines, first), pids)}
			got = {(row["machine"], row["pid"], row["process"], row["count"]) for row in rows}
			other.start_counter()
		elif text == texts[1]:
			wanted, got = {("cluster-counter", 18)}, {(row["process"], row["count"]) for row in rows}
		else:
			wanted, got = set(pids), {(row["pid"], row["count"]) for row in rows}
		check(f"{text}: each process's calls are its own", got == wanted, (got, wanted, query.detail))
	other.counter.stdin.close()
	other.counter.wait()


def check_labels(bus, machines):
	"""Machines with one value of a label are one row; those without it have a row of their own."""
	for more, wanted in (("--by", "label=role"), {"web": 30}), (("--by", "label=rack"), {"-": 30}):
		query = Query(bus, f'Function("{SITE}").CountBy(machine)', "--period", "0.2", *more)
		query.wait_reporting(3)
		for m in machines:
			wait_for(m.is_probed, f"{m.host} is probed")
			m.call(10)
		check("complete", query.end() == 0, query.detail)
		got = {row["machine"]: row["count"] for row in query.answer["rows"]}
		check(f"{more}: the sum of all of them", got == wanted, query.detail)


def check_refused(bus):
	for text, why in ((f'Function("{SITE}").Window(1.s).Max(arg0)', "windows but of counts, sums, means"),
			(f'Function("{SITE}").Select(new {{ stack, arg0 }})', "rows of single events with a site, an address or a stack"),
			(f'Function("{SITE}").Window(200.ms).Count()', "windows of less than a second"),
			(f'Function("{SITE}").GroupBy(new {{ hour = time / 1.h }}).Max(arg0)', "times of the day within the probe")):
		said = bus.run("query", "--cluster", bus.url, "--creds", bus.home / "alice.creds", "--process", "exe=*/x", text,
			status=2)
		check(f"{text} is refused", why in said, said)


def check_lost(bus, machines):
	"""A machine that is killed within a window: what it has counted there and sent is in no window, and that is said."""
	query = Query(bus, f'Function("{SITE}").Window(1.h).Count()', "--grace", "1", "--period", "0.2", "--lease", "6")
	query.wait_reporting(3)
	for m in machines:
		wait_for(m.is_probed, f"{m.host} is probed")
		m.call(10)
	wait_for(lambda: any(o.get("events") == 30 for o in query.lines()), "all calls have come")
	machines[0].kill_agent()
	check("exit status 3", query.end() == 3, query.detail)
	check("two machines' calls are in a window", [row["count"] for row in query.answer["rows"]] == [20], query.detail)
	check("the others are said", any("10 events are in no window" in line for line in query.answer["lacks"]), query.detail)


def check_clocks(bus, machines):
	"""C-170: how far off each clock is, within what it says of its own error."""
	ask = ("cluster", "machines", "--cluster", bus.url, "--creds", bus.home / "alice.creds")
	off = {}

	def measured():
		lines = [json.loads(line) for line in bus.run(*ask, "--json").splitlines()]
		off.update({o["machine"]: o for o in lines if o["clock_error_ns"] is not None})
		return len(off) == len(machines)
	wait_for(measured, lambda: f"clocks of all machines: {off}")
	for host, wanted in zip(HOSTS, (0, -300_000_000, 0)):
		o = off[host]
		check(f"{host}'s clock, within its error", abs(o["clock_ns"] - wanted) <= o["clock_error_ns"] + 1_000_000, o)
	rows = bus.run(*ask, "--clocks").splitlines()
	check("the one that is furthest off is first", rows[1].startswith(f"{HOSTS[1]}  -") and
		("±" in rows[1] or "+-" in rows[1]), rows)


def main():
	ward, *programs, clock = sys.argv[1:]
	with Bus(ward) as bus:
		bus.cluster = "default"
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		machines = [Skewed(bus, host, programs, clock) for host in HOSTS]
		said = bus.run("cluster", "enrol", "--dir", bus.dir, "--role", "coordinator", "alice")
		key = re.search(r"^key = (\S+)$", said, re.M)[1]
		bus.start()
		try:
			machines[1].set_clock(-0.3)
			for m in machines:
				m.configure(key)
				m.start_counter()
				m.start_agent()
				m.start_link()
			check_clocks(bus, machines)
			check_windows(bus, machines)
			check_shown(bus, machines)
			check_processes(bus, machines)
			check_labels(bus, machines)
			check_refused(bus)
			check_lost(bus, machines)
		finally:
			for m in machines:
				m.stop()
	summary()


main()
