#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold all sources to one style: C as clang-format has it with .clang-format, and no line beyond column 120.

Scripts in the folders of SCRIPTS have no longer lines either. Inputs of tests stay as they were found or generated.
Usage: format.py ROOT; `--list` prints the C files of that style.
"""
import re
import subprocess
import sys

COLUMNS = 120
INPUTS = re.compile(r"^tests/(dialect/kept|corpus/(good|hostile)|compilers/c|codegen/(sources|refused|objects))/")
SCRIPTS = ("tests/query", "tests/kernel", "tests/tree", "tests/docs")
CLANG_FORMAT = "clang-format-19"


def sources(root, *patterns):
	names = subprocess.check_output(["git", "ls-files", *patterns], cwd=root, text=True).split()
	return [n for n in names if not INPUTS.match(n)]


def long_lines(root, names):
	for name in names:
		with open(f"{root}/{name}", errors="replace") as f:
			for number, line in enumerate(f, 1):
				if len(line.rstrip("\n").expandtabs(8)) > COLUMNS:
					yield f"{name}:{number}: beyond column {COLUMNS}"


def unformatted(root, names):
	for i in range(0, len(names), 50):
		run = subprocess.run([CLANG_FORMAT, "--dry-run", *names[i:i + 50]], cwd=root, stderr=subprocess.PIPE,
			text=True)
		seen = set()
		for line in run.stderr.splitlines():
			m = re.match(r"([^:]+):(\d+):\d+: ", line)
			if m and m[1] not in seen:
				seen.add(m[1])
				yield f"{m[1]}:{m[2]}: not as clang-format has it"
		if run.returncode and not seen:
			yield f"{CLANG_FORMAT}: {run.stderr.strip() or 'it failed'}"


def main():
	root = sys.argv[1]
	c = sources(root, "*.c", "*.h")
	if "--list" in sys.argv:
		print("\n".join(c))
		return 0
	scripts = sources(root, "tests/kernel/queries", *(f"{f}/*{end}" for f in SCRIPTS for end in (".sh", ".py")))
	found = list(long_lines(root, c + scripts + sources(root, "*.S"))) + list(unformatted(root, c))
	for fault in found:
		print(f"ward: format: {fault}")
	if found:
		print("hint: make format")
	print(f"{len(c)} files of C")
	return 1 if found or not c else 0


sys.exit(main())
