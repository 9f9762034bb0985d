#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each message of the query compiler has a text that gives it, with its place: messages.py ROOT TOOL.

messages.txt has blocks: lines that begin with '>' are the query, and the line behind them is what is said of it,
LINE:COLUMN: MESSAGE. "{N*TEXT}" stands for N times TEXT, with the number of each for a # in it, and the
next one for a @. Every message that the source knows has to be in one of them.
"""
import pathlib
import re
import subprocess
import sys

ROOT, TOOL = pathlib.Path(sys.argv[1]), sys.argv[2]
FAIL = re.compile(r'query_fail\(\s*(?:[^";]|"(?:[^"\\]|\\.)*")*?;', re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Of memory and whole texts; and one that other messages come before.
BEYOND = {"out of memory", "%s", "the query is too large", "a zero byte", "a query of more than %d bytes",
	"what an event has can't be computed with what was counted of many"}


def arguments(call):
	"""The arguments of a call, split at commas outside of brackets and texts."""
	depth, parts, start, inside = 0, [], call.index("(") + 1, False
	i = start
	while i < len(call):
		c = call[i]
		if inside:
			i += c == "\\"
			inside = c != '"'
		elif c == '"':
			inside = True
		elif c in "([{":
			depth += 1
		elif c in ")]}":
			if depth == 0:
				break
			depth -= 1
		elif c == "," and depth == 0:
			parts.append(call[start:i])
			start = i + 1
		i += 1
	return parts + [call[start:i]]


def known():
	for name in sorted((ROOT / "query").glob("*.c")):
		for call in FAIL.findall(name.read_text()):
			parts = arguments(call)
			texts = TEXT.findall(parts[3]) if len(parts) > 3 else []
			if texts:
				yield "".join(texts).replace('\\"', '"')


def pattern(message):
	return re.compile(".*".join(re.escape(p) for p in re.split(r"%(?:\.\d+)?(?:ll)?[a-z]", message)) + "$")


def expand(text):
	return re.sub(r"\{(\d+)\*([^{}]*)\}", lambda m: "".join(m[2].replace("#", str(i)).replace("@", str(i + 1))
		for i in range(int(m[1]))), text)


def blocks(text):
	query = []
	for line in text.split("\n"):
		if line.startswith(">"):
			query.append(line[2:])
		elif query:
			yield "\n".join(query), line
			query = []


def main():
	passed = failed = 0
	said = []
	for query, wanted in blocks((ROOT / "tests/query/messages.txt").read_text()):
		defines = re.findall(r"^-D (\S+) ", query)
		text = expand(re.sub(r"^(-D \S+ )*", "", query))
		out = subprocess.run([TOOL, *defines], input=text, capture_output=True, text=True).stdout.split("\n")
		first = out[0].replace("query:", "", 1).replace(" error:", "", 1)
		if first == wanted:
			passed += 1
		else:
			failed += 1
			print(f"FAILED: {query}\n  wanted: {wanted}\n  is:     {first}")
		said.append(first.split(" ", 1)[-1])
	for message in sorted(set(known()) - BEYOND):
		if not any(pattern(message).match(s) for s in said):
			failed += 1
			print(f"FAILED: no text gives this message: {message}")
	print(f"{passed} passed, {failed} failed")
	return failed != 0 or passed == 0


sys.exit(main())
