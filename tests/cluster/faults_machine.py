# SPDX-License-Identifier: Apache-2.0
"""Rows of the matrix of faults: a machine's disk, memory, clock and overhead."""
import contextlib
import os
import random
import struct
import subprocess

from cluster import check, wait_for
from machines import SITE
from stage import Query, Skip, kill

ROWS = ("disk_full_of_an_audit", "disk_full_of_epochs", "disk_full_of_a_journal", "memory_short", "clock_jumps",
	"clock_off", "overhead")
HOUR = 3600 * 10**9


@contextlib.contextmanager
def _small_disk(path):
	"""A file system of a megabyte, which the caller fills; what makes room again comes with it."""
	if os.geteuid() != 0:
		raise Skip("a mount needs root")
	path.mkdir(parents=True, exist_ok=True)
	if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", path], stderr=subprocess.DEVNULL,
			check=False).returncode:
		raise Skip("there are no mounts here")
	filler = path / "filler"

	def fill():
		with open(filler, "wb", buffering=0) as f, contextlib.suppress(OSError):
			while True:
				f.write(b"x" * 4096)
	try:
		yield fill, filler.unlink
	finally:
		subprocess.run(["umount", "-l", path], check=True)


def _refused(stage, folder, words, fill_first):
	"""One machine has no room for what must be on the disk: it refuses, and the others are exact."""
	m = random.choice(stage.machines)
	for other in stage.machines:
		other.stop_agent()
	with _small_disk(m.dir / folder) as (fill, _):
		stage.begin()
		if fill_first:
			wait_for(lambda: (m.dir / "run/link").exists(), "the agent is there")
			fill()
		trace = stage.trace(reporting=2)
		stage.wait_state(trace, m, "refused")
		said = next(o for o in reversed(trace.of("machine")) if o["machine"] == m.host)
		check("the reason is said", words in said.get("reason", ""), said)
		check("nothing is attached", m.is_clean())
		stage.call([other for other in stage.machines if other is not m])
		stage.expect("a disk is full", trace, {m.host: "refused"})
		m.stop_agent()
	stage.begin() # what was refused isn't begun now that there is room
	trace = stage.trace()
	stage.call()
	stage.expect("there is room again", trace)


def disk_full_of_an_audit(stage):
	_refused(stage, "log", "C-61", True)


def disk_full_of_epochs(stage):
	_refused(stage, "state", "No space left on device", True)


def disk_full_of_a_journal(stage):
	"""Nothing is acknowledged while it can't be kept, and that is said. When there is room again, all is."""
	keys = 5000 # so that last values don't find room in the journal's last page
	stage.begin()
	with _small_disk(stage.bus.home / "state/ward/queries") as (fill, empty):
		query = Query(stage, f'Function("{SITE}").CountBy(arg0)')
		for m in stage.machines:
			m.call(keys)
		fill()
		query.interrupt()
		wait_for(lambda: "can't be written" in query.said(), lambda: f"it is said: {query.said()}")
		check("nobody is acknowledged", not any(o.get("state") == "ended" for o in query.lines()), query.lines()[-3:])
		empty()
		status, answer, complete = query.end()
		rows = {row["arg0"]: row["count"] for row in answer}
		check("then it is complete, and exact", status == 0 and complete and
			rows == dict.fromkeys(range(1, keys + 1), 3), (status, complete, len(rows), query.said()))
	stage.expect_clean("a journal's disk was full")


def memory_short(stage):
	"""A machine that may send few bytes puts keys aside: they are counted, and that they are is said."""
	keys = 5000
	stage.begin(more="partial = 4K\n")
	query = Query(stage, f'Function("{SITE}").CountBy(arg0)')
	for m in stage.machines:
		m.call(keys)
	query.interrupt()
	status, answer, complete = query.end()
	rows = {row["arg0"]: row["count"] for row in answer}
	check("it isn't complete, and says so", status == 3 and not complete and "had no room for all keys" in query.said(),
		(status, complete, query.said()))
	check("no key has more than was counted", rows and max(rows.values()) <= 3 and len(rows) < keys, len(rows))
	stage.expect_clean("memory was short")


def _moved_clock(stage, machine):
	"""What moves this machine's wall clock from now on."""
	path = machine.dir / "clock"
	path.write_bytes(bytes(8))

	def move(ns):
		with open(path, "r+b") as f: # in place: the file is mapped
			f.write(struct.pack("q", ns))
	machine.agent_env = dict(os.environ, LD_PRELOAD=stage.programs["clock"], CLOCK_OFF=str(path),
		ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))
	return move


def clock_jumps(stage):
	"""An hour forth, back, and back again: what is counted is counted once, and it ends as the others do."""
	m = random.choice(stage.machines)
	moves = []
	stage.begin(prepare=lambda other: moves.append(_moved_clock(stage, m)) if other is m else None)
	trace = stage.trace()
	for ns in (HOUR, -HOUR, 0):
		stage.call()
		moves[0](ns)
		stage.wait_partials(trace.query, m, 2)
	stage.call()
	stage.wait_shown(trace, "the clock has jumped")
	stage.expect("a clock jumps", trace)


def clock_off(stage):
	"""By its clock an order is too old, or from the future: it refuses, and says so."""
	m = random.choice(stage.machines)
	ns = random.choice((25 * HOUR, -HOUR))
	moves = []
	stage.begin(prepare=lambda other: moves.append(_moved_clock(stage, m)) if other is m else None)
	moves[0](ns)
	trace = stage.trace(reporting=2)
	stage.wait_state(trace, m, "refused")
	said = next(o for o in reversed(trace.of("machine")) if o["machine"] == m.host)
	check("the reason is said", "C-44" in said.get("reason", ""), said)
	stage.call([other for other in stage.machines if other is not m])
	stage.expect("a clock is off", trace, {m.host: "refused"})


def overhead(stage):
	"""Probes that take too much of a process's time come off, and what they have counted stays."""
	stage.begin()
	m = random.choice(stage.machines)
	trace = stage.trace("--max-overhead", "2%")
	stage.call([other for other in stage.machines if other is not m])
	m.tell("60000000000")
	wait_for(lambda: any(o["machine"] == m.host and (o["state"] == "guarded" or "can't be measured" in
		o.get("warning", "")) for o in trace.of("machine")), lambda: f"the guard: {stage.said(trace)}")
	said = next(o for o in reversed(trace.of("machine")) if o["machine"] == m.host)
	if said["state"] != "guarded":
		kill(m.counter)
		trace.end()
		raise Skip("there are no performance events here")
	check("the reason is said", "of the time of cluster-counter" in said["reason"], said)
	wait_for(m.is_clean, "no probe is left there")
	kill(m.counter)
	m.start_counter()
	m.calls = next(life[3] for life in stage.tap.of(trace.query, m.host))
	stage.expect("the guard has taken a probe off", trace, {m.host: "guarded"})
