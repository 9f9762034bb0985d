#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sessions on a page are what the commands print: sessions.py ROOT BIN PAGE [--write].

A session is a block whose first line is "$ COMMAND". It runs in a folder of its own, in which probes/ is the tree's,
with BIN first in PATH. Numbers, bars and blanks may differ. A line "…" stands for any lines. A comment before the
block, <!-- while NAME: COMMAND -->, names a program that runs meanwhile, as a copy with a name of its own;
<!-- lines: N --> how many lines --write keeps.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, BIN, PAGE = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
WRITE = "--write" in sys.argv
BLOCK = re.compile(r"((?:<!-- (?:while \w+|lines): [^\n]* -->\n)*)```\n\$ ([^\n]*)\n(.*?)```\n", re.S)


def masked(line):
	line = re.sub(r"[▏▎▍▌▋▊▉█]+", " ", line)
	line = re.sub(r"0x[0-9a-f]+", "#", line)
	line = re.sub(r"\d+(\.\d+)?( (ns|µs|ms|s)\b)?", "#", line)
	line = re.sub(r"\b#[KMGT]\b", "#", line)
	return re.sub(r"\s+", " ", line).strip()


def run(command, beside, folder):
	env = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100", HOME=str(folder))
	other = None
	if beside:
		program, *words = beside[1].split()
		shutil.copy(shutil.which(program), folder / beside[0])
		other = subprocess.Popen([folder / beside[0], *words], cwd=folder, env=env, stdin=subprocess.DEVNULL,
			stdout=subprocess.DEVNULL)
	try:
		done = subprocess.run(["sh", "-c", command + " 2>&1"], cwd=folder, env=env, stdin=subprocess.DEVNULL,
			capture_output=True, text=True, timeout=300)
	finally:
		if other:
			other.kill()
			other.wait()
	return done.stdout.rstrip("\n").split("\n"), done.returncode


def fits(shown, lines):
	"""Each line that is shown is there, in this order; between two without "…" stands nothing else."""
	at, loose = 0, False
	for line in shown:
		if line.strip() == "…":
			loose = True
			continue
		while at < len(lines) and masked(lines[at]) != masked(line):
			if not loose:
				return f"{line!r} instead of {lines[at]!r}"
			at += 1
		if at == len(lines):
			return f"no line {line!r}"
		at, loose = at + 1, False
	return None if loose or at == len(lines) else f"{lines[at]!r} isn't on the page"


def main():
	text, passed, failed = PAGE.read_text(), 0, 0
	with tempfile.TemporaryDirectory() as folder:
		folder = pathlib.Path(folder)
		(folder / "probes").symlink_to(ROOT / "probes")

		def session(match):
			nonlocal passed, failed
			comments, command, shown = match.groups()
			beside = re.search(r"while (\w+): (.*) -->", comments)
			keep = re.search(r"lines: (\d+) -->", comments)
			lines, status = run(command, beside and (beside[1], beside[2]), folder)
			if WRITE:
				if keep and len(lines) > int(keep[1]):
					lines = lines[:int(keep[1])] + ["…"] + lines[-1:]
				return f"{comments}```\n$ {command}\n" + "\n".join(lines) + "\n```\n"
			fault = fits(shown.rstrip("\n").split("\n"), lines)
			if fault is None and status == 0:
				passed += 1
			else:
				failed += 1
				print(f"FAILED: {command} (status {status}): {fault}\n  " + "\n  ".join(lines))
			return match[0]

		written = BLOCK.sub(session, text)
	if WRITE:
		PAGE.write_text(written)
		return 0
	print(f"{passed} passed, {failed} failed")
	return failed != 0 or passed == 0


sys.exit(main())
