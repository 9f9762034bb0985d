#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward trace --cluster, end to end: a real bus with TLS, made-up machines that count for themselves, and the command.
Usage: trace.py WARD SIMS PROBE
"""
import json
import os
import signal
import subprocess
import sys

from cluster import Bus, check, summary
from simulated import HOSTS, Machines, calls_of, lines_of


def command(bus, *arguments):
	return [bus.ward, "trace", "--cluster", bus.url, "--creds", str(bus.home / "alice.creds"), "--process", "exe=*",
		"--period", "0.2", *arguments]


def trace(bus, *arguments, status=0):
	done = subprocess.run(command(bus, *arguments), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
		stderr=subprocess.PIPE, env=bus.env)
	check("ward trace " + " ".join(arguments), done.returncode == status,
		f"status {done.returncode}\n{done.stdout}{done.stderr}")
	return done


def states(text):
	return {o["machine"]: o["state"] for o in lines_of(text, "machine")}


def check_complete(bus, sims, probe):
	machines = Machines(bus, sims, *HOSTS[:3])
	done = trace(bus, "--json", "-d", "2", probe)
	counts = machines.counts()
	end, = lines_of(done.stdout, "end")
	check("the sum is what the machines have counted", calls_of(done.stdout) == sum(n for n, _ in counts.values()),
		(calls_of(done.stdout), counts))
	check("each was acknowledged", all(got == 1 for _, got in counts.values()), counts)
	check("complete", end["complete"] and end["machines"] == end["complete_machines"] == 3, end)
	check("all have ended", states(done.stdout) == dict.fromkeys(HOSTS[:3], "ended"), states(done.stdout))
	check("counts of states while it runs", any(o["reporting"] == 3 for o in lines_of(done.stdout, "cluster")),
		lines_of(done.stdout, "cluster"))
	journal = bus.home / "state/ward/queries" / end["query"]
	check("there is a journal", journal.is_file() and journal.parent.stat().st_mode & 0o77 == 0)


def check_incomplete(bus, sims, probe):
	"""One refuses, one is cut off, one says what can't be, one that is expected isn't there: all are named."""
	machines = Machines(bus, sims, HOSTS[0], HOSTS[1] + "=refuses", HOSTS[2] + "=goes", HOSTS[3] + "=lies")
	(bus.home / "expected").write_text("web1.example.net\nweb9.example.net\n")
	done = trace(bus, "--json", "-d", "13", "--expect", str(bus.home / "expected"), "--grace", "1", probe, status=3)
	counts = machines.counts()
	check("states", states(done.stdout) == dict(zip(HOSTS, ("ended", "refused", "lost", "inconsistent")),
		**{"web9.example.net": "unreachable"}), states(done.stdout))
	by_name = {o["machine"]: o for o in lines_of(done.stdout, "machine")}
	check("the reason of a refusal", by_name[HOSTS[1]]["reason"] == "its policy says no", by_name)
	check("how much is missing", 10000 < by_name[HOSTS[2]]["missing_ms"] < 14000, by_name)
	calls, last = calls_of(done.stdout), counts[HOSTS[0]][0]
	check("the liar isn't in it, and the lost one up to its last partial", last + 200 < calls < last + 1400,
		(calls, counts))
	end, = lines_of(done.stdout, "end")
	check("not complete", not end["complete"] and end["machines"] == 5 and end["complete_machines"] == 1, end)


def check_for_people(bus, sims, probe):
	machines = Machines(bus, sims, HOSTS[0], HOSTS[1] + "=refuses")
	process = subprocess.Popen(command(bus, "--grace", "2", "-d", "60", probe), text=True, stdin=subprocess.DEVNULL,
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
	said = ""
	while "1 refused, 1 reporting" not in said and "1 reporting, 1 refused" not in said:
		line = process.stderr.readline()
		if not line:
			break
		said += line
	process.send_signal(signal.SIGINT)
	out, err = process.communicate()
	counts = machines.counts()
	check("Ctrl-C ends it, and it isn't complete", process.returncode == 3, (process.returncode, said, err))
	check("the count", f"{counts[HOSTS[0]][0]}" in out.replace(",", "") and "events on 1 machine" in out, (out, counts))
	check("who is missing", f"1 of 2 machines are not in the result to its end: {HOSTS[1]} (refused)" in err, err)
	check("it was acknowledged", counts[HOSTS[0]][1] == 1, counts)


def check_some(bus, sims, probe):
	"""Two of those that fit; more than there are."""
	machines = Machines(bus, sims, *HOSTS)
	few = trace(bus, "--some", "4", "--on", "web[123].*", "-d", "1", probe, status=3)
	done = trace(bus, "--json", "--some", "2", "--on", "web[123].*", "-d", "2", probe)
	counts = {host: n for host, (n, _) in machines.counts().items()}
	drawn = states(done.stdout)
	check("two were drawn", len(drawn) == 2 and set(drawn) < set(HOSTS[:3]), drawn)
	check("and they alone count", {h for h in HOSTS if counts[h]} == set(drawn), counts)
	check("the sum is theirs", calls_of(done.stdout) == sum(counts.values()), (calls_of(done.stdout), counts))
	check("there are too few", "4 machines are to be drawn, and 3 that fit answer" in few.stderr, few.stderr)


def check_attach(bus, sims, probe):
	"""A coordinator that is killed comes back, and has all; a second one takes it from the first."""
	machines = Machines(bus, sims, *HOSTS[:2])
	first = subprocess.Popen(command(bus, "--json", "-d", "60", probe), text=True, stdin=subprocess.DEVNULL,
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
	query = None
	for line in first.stdout:
		o = json.loads(line)
		if o["type"] == "cluster" and o["reporting"] == 2:
			query = o["query"]
			break
	first.kill()
	first.communicate()
	check("the first one had them", query is not None)
	second = subprocess.Popen(command(bus, "--json", "--attach", query), text=True, stdin=subprocess.DEVNULL,
		stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
	text = ""
	for line in second.stdout:
		text += line
		o = json.loads(line)
		if o["type"] == "cluster" and o["reporting"] == 2:
			second.send_signal(signal.SIGINT)
			break
	out, err = second.communicate()
	counts = machines.counts()
	check("--attach ends well", second.returncode == 0, err)
	check("and has all", calls_of(text + out) == sum(n for n, _ in counts.values()), (calls_of(text + out), counts))


def check_usage(bus, probe):
	for arguments, words in (
			((probe,), "on which processes?"), (("--process", "exe=*", "-p", "1", probe), "not with -p"),
			(("--process", "exe=*", "--follow", probe), "can't be"),
			(("--process", "exe=*", "--some", "200%", probe), "not a part such as 2%"),
			(("--process", "exe=*", "--some", "201", probe), "not a number from 1 to 200"),
			(("--process", "exe=*", "--some", "0", probe), "not a number from 1 to 200"),
			(("--process", "exe=*",), "one probe at a time"), (("--attach", "0" * 32, probe), "takes no probe")):
		done = subprocess.run([bus.ward, "trace", "--cluster", bus.url, "--creds", str(bus.home / "alice.creds"),
			*arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bus.env)
		check(f"{arguments}: {words}", done.returncode == 2 and words in done.stderr, done)
	done = trace(bus, "--attach", "0" * 32, status=3)
	check("no such query", "none of 0 machines that answer has it" in done.stderr, done.stderr)
	check("no file is left of it", not list((bus.home / "state/ward/queries").glob("0*")))
	done = trace(bus, "--grace", "0.1", "-d", "0.3", probe, status=3)
	check("nobody is there", "no machine took the query" in done.stderr, done.stderr)


def main():
	ward, sims, probe = sys.argv[1:]
	with Bus(ward) as bus:
		bus.env = dict(os.environ, XDG_STATE_HOME=str(bus.home / "state"))
		for host in HOSTS:
			bus.enrol("agent", host)
		bus.enrol("coordinator", "alice")
		bus.start()
		check_usage(bus, probe)
		check_complete(bus, sims, probe)
		check_some(bus, sims, probe)
		check_incomplete(bus, sims, probe)
		check_for_people(bus, sims, probe)
		check_attach(bus, sims, probe)
	summary()


main()
