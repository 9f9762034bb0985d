#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ward graph prints the tree of calls that a program made, each counted once, also around longjmp and exceptions, in
64 threads. graph.py WARD TARGETS
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WARD, TARGET = sys.argv[1], f"{sys.argv[2]}/graphed"
ROUNDS, THREADS = 200, 64
N = ROUNDS * THREADS
# Callers and function: calls, and those that came to an end.
TREE = {
	"outer": (N, N),
	"outer middle": (N, N),
	"outer middle leaf": (2 * N, 2 * N),
	"outer leaf": (N, N),
	**{" ".join(["again"] * n): (N, N) for n in range(1, 7)},
	"returned leaf": (2 * N, 2 * N),  # work_jumps never returns, and so isn't probed
	"catches": (N, N),
	"catches leaf": (2 * N, 2 * N),
	"catches through": (N, 0),
	"catches through throws": (N, 0),
	"catches through throws leaf": (N, N),
	"long": (THREADS, THREADS),
	"long leaf": (THREADS, THREADS),
}
results = []


def check(what, holds, more=""):
	results.append(bool(holds))
	if not holds:
		print(f"FAILED: {what} {more}")


def graph(*options, command=(TARGET, str(ROUNDS), str(THREADS)), sites=("-f", "graphed!work_*")):
	return subprocess.run([WARD, "graph", *options, *sites, *(("--", *command) if command else ())],
		stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


def short(name):
	return name.removeprefix("graphed!work_")


def rows(text):
	lines = [json.loads(line) for line in text.splitlines()]
	places = {" ".join(map(short, r["callers"] + [r["function"]])): r for r in lines if r["type"] == "call"}
	return places, next(r for r in lines if r["type"] == "graph"), lines


def check_tree(r):
	places, whole, lines = rows(r.stdout)
	returned = places.pop("returned", None)  # setjmp makes its end unknown to a patched return; it is called all the same
	check("a function that calls setjmp is counted", returned and returned["calls"] == N, returned)
	check("each place has its calls and ends", {k: (p["calls"], p["ended"]) for k, p in places.items()} == TREE,
		[(k, places.get(k, {}).get("calls"), places.get(k, {}).get("ended"), v) for k, v in TREE.items()
			if k not in places or (places[k]["calls"], places[k]["ended"]) != v] + [k for k in places if k not in TREE])
	below = {}
	for k, p in places.items():
		below[k.rpartition(" ")[0]] = below.get(k.rpartition(" ")[0], 0) + p["total_ns"]
	check("a function's own time is its time without its callees'", all(
		abs(p["self_ns"] - (p["total_ns"] - below.get(k, 0))) <= 2 for k, p in places.items() if p["ended"]))
	check("a call that sleeps is that long", THREADS * 60_000_000 <= places["long"]["total_ns"] and
		places["long"]["longest_ns"] >= 60_000_000, places["long"])
	check("nothing is missing", (whole["deeper"], whole["no_room"], whole["cut_off"]) == (0, 0, 0), whole)
	check("no event was dropped", next(r for r in lines if r["type"] == "end")["dropped"] == 0)


def check_text():
	r = graph("-q", "--all")
	lines = r.stdout.splitlines()
	check("the tree for people", r.returncode == 0 and lines[0].split() == ["total", "share", "self", "calls", "function"],
		r.stdout[:400] + r.stderr)
	check("a callee is below its caller", any(
		"graphed!work_outer" in a and "─graphed!work_" in b for a, b in zip(lines, lines[1:])), r.stdout)
	check("calls without an end are said", "(12800 without an end)" in r.stdout, r.stdout)


def check_limits():
	r = graph("-q", "--json", "--depth", "2")
	places, whole, _ = rows(r.stdout)
	check("deeper calls are counted", whole["deeper"] == N * (2 + 4 + 2), whole)
	check("no place is deeper than --depth", max(len(k.split()) for k in places) == 2)
	r = graph("-q", "--json", "--places", "4")
	places, whole, lines = rows(r.stdout)
	all_calls = sum(v[0] for v in TREE.values()) + N
	check("calls that found no room are counted", sum(p["calls"] for p in places.values()) + whole["no_room"] == all_calls,
		whole)
	r = graph("-q", "--longer", "50ms")
	check("--longer leaves short ones out", "work_long" in r.stdout and "work_outer" not in r.stdout, r.stdout)


def check_export():
	with tempfile.TemporaryDirectory() as name:
		tmp = pathlib.Path(name)
		r = graph("-q", "--json", "--export", f"chrome:{tmp}/c.json", "--export", f"folded:{tmp}/f",
			command=(TARGET, "20", "4"))
		places, whole, _ = rows(r.stdout)
		events = [e for e in json.loads((tmp / "c.json").read_text())["traceEvents"] if e["ph"] == "X"]
		check("each call that ended is an event", len(events) == sum(p["ended"] for p in places.values()), len(events))
		check("how many were written is said", (whole["written"], whole["lost"]) == (len(events), 0), whole)
		check("events are called as functions", {short(e["name"]) for e in events} == {
			k.split()[-1] for k, p in places.items() if p["ended"]})
		stacks = dict(line.rsplit(" ", 1) for line in (tmp / "f").read_text().splitlines())
		check("a place's own time is its stack's weight", {
			" ".join(map(short, k.split(";"))): int(v) for k, v in stacks.items()} ==
			{k: p["self_ns"] for k, p in places.items() if p["ended"]})
		r = graph("-q", "--json", "--export", f"chrome:{tmp}/many.json", command=(TARGET, "30000", "1"))
		places, whole, _ = rows(r.stdout)
		events = [e for e in json.loads((tmp / "many.json").read_text())["traceEvents"] if e["ph"] == "X"]
		check("each call is in the file, or counted as lost", whole["written"] == len(events) and
			whole["written"] + whole["lost"] == sum(p["ended"] for p in places.values()), whole)
		r = graph("-q", "--export", f"chrome:{tmp}/few.json", command=(TARGET, "20", "4"))
		check("it is said to people, too", re.search(r"^\d+ calls written, 0 lost$", r.stdout, re.M), r.stdout)
		r = graph("-q", "--longer", "50ms", "--export", f"chrome:{tmp}/l.json", command=(TARGET, "20", "4"))
		events = [e for e in json.loads((tmp / "l.json").read_text())["traceEvents"] if e["ph"] == "X"]
		check("only long calls are exported", [short(e["name"]) for e in events] == ["long"] * 4,
			[e["name"] for e in events])


def check_usage():
	for options, command, why in ((["--depth", "3"], "x", "power of two"), (["--longer", "3"], "x", "such as 1ms"),
			(["extra"], "x", "takes no probe"), ([], None, "no target"), (["-p", "1"], "x", "not both")):
		r = graph(*options, command=(command,) if command else None, sites=())
		check(f"{options} is refused", r.returncode == 2 and why in r.stderr and r.stderr.count("hint: ") == 1, r.stderr)
	r = graph("-q", "--all", sites=())
	check("by default it is the whole program", r.returncode == 0 and "graphed!work_outer" in r.stdout and
		"graphed!main" in r.stdout, r.stdout + r.stderr)


def main():
	r = graph("-q", "--json")
	check("it ends well", r.returncode == 0, r.stderr)
	check_tree(r)
	check_text()
	check_limits()
	check_export()
	check_usage()
	print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
	return 0 if results and all(results) else 1


sys.exit(main())
