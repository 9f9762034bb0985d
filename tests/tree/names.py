#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the names of static functions: a verb alone names none of them.

A name says what a function is about and what it does with it: lane_run, plan_find. In a stack trace, a profile or a
search, `run` could be any of a dozen. Usage: names.py ROOT; `--list` prints the names of one word that are left.
"""
import pathlib
import re
import subprocess
import sys

PARTS = ("verifier/", "codegen/", "loader/", "kmod/", "query/", "cluster/", "cli/")
VERBS = set("""
accept add adopt agree answer append apply arrive ask attach await await begin blame build call carry change check
child choose clean climb collect combine compare compile compute confine copy count decode declare describe detach
differ divide do drain drop emit enclose end enter explain explore extend fail fetch fill find finish fit flow follow
force forget free gather get go grow handle help hold holds hook infer init insert join judge keep launch lead leave
lend limit list load look make mark match measure meet merge move narrow next note open order parse pass peek place
plan point prepare print promote prove prune push put read reap rebuild receive record refine refuse relate release
remember remove replace report reserve rest restore run save say scan seal search seize send serve set settle shorten
show skip sleep smudge sort spawn spend split spread start step stop store sum sweep take tell test trace turn update
use visit wait walk want watch weaken widen wrap write
""".split())
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STATIC = re.compile(r"^static\b[^;={}()]*(?:__attribute__\(\(.*?\)\)[^;={}()]*)?\b([A-Za-z_]\w*)\(", re.M)


def static_functions(text):
	"""Name and line of each."""
	text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
	for m in STATIC.finditer(text):
		yield m[1], text.count("\n", 0, m.start(1)) + 1


def main():
	root = pathlib.Path(sys.argv[1])
	files = subprocess.check_output(["git", "ls-files", "*.c", "*.h"], cwd=root, text=True).split()
	found, n = [], 0
	for name in files:
		if not name.startswith(PARTS):
			continue
		for function, line in static_functions((root / name).read_text()):
			n += 1
			if function in VERBS:
				found.append(f"{name}:{line}: {function}")
			elif "--list" in sys.argv and "_" not in function:
				print(f"{name}:{line}: {function}")
	for fault in found:
		print(f"ward: names: {fault}: a verb alone")
	if found:
		print("hint: NOUN_VERB, such as lane_run; see CONTRIBUTING.md")
	print(f"{n} static functions")
	return 1 if found or not n else 0


sys.exit(main())
