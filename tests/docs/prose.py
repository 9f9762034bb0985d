#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the pages that people read to plain limits, and their links to files that exist.

No page has more than 400 lines, the README no more than 150. No sentence of prose has more than 45 words. No line goes
beyond column 120, but those of tables: Markdown's, and those of programs' output in a block that begins with ```table.

Usage: prose.py ROOT
"""
import pathlib
import re
import sys

PAGE, README, SENTENCE, COLUMNS = 400, 150, 45, 120
TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]


def pages(root):
	return [root / name for name in TOP] + sorted((root / "docs").rglob("*.md"))


def prose(lines):
	"""Yield (line number, text) of each paragraph, list item or quotation, without code, tables and headings."""
	text, start, fenced = [], 0, False
	for n, line in enumerate(lines + [""], 1):
		fence = line.lstrip().startswith("```")
		other = fence or fenced or not line.strip() or re.match(r"\s*(\||#|<!--)", line)
		item = re.match(r"\s*([-*]|\d+\.)\s+", line)
		if text and (other or item):
			yield start, " ".join(text)
			text = []
		if fence:
			fenced = not fenced
		elif not other:
			start = start if text else n
			text.append(line[item.end():] if item else line)


def sentences(text):
	"""Split where a sentence ends: a mark, a blank, and a capital, digit or code behind it."""
	return re.split(r"(?<=[.!?])[)\"*]*\s+(?=[A-Z0-9`\[(*])", text)


def faults(root, page):
	lines = page.read_text().split("\n")
	if lines[-1] == "":
		lines.pop()
	name = page.relative_to(root)
	most = README if str(name) == "README.md" else PAGE
	if len(lines) > most:
		yield f"{name}: {len(lines)} lines, of {most} at most"
	table = False
	for n, line in enumerate(lines, 1):
		if line.startswith("```"):
			table = line == "```table"
		if len(line.expandtabs(8)) > COLUMNS and not line.startswith("|") and not table:
			yield f"{name}:{n}: {len(line.expandtabs(8))} columns, of {COLUMNS} at most"
	for n, text in prose(lines):
		for sentence in sentences(text):
			if len(sentence.split()) > SENTENCE:
				yield (f"{name}:{n}: a sentence of {len(sentence.split())} words, "
					f"of {SENTENCE} at most: {sentence[:60]}…")
	for target in re.findall(r"\]\(([^)#]+)[^)]*\)", "\n".join(lines)):
		if not re.match(r"https?:", target) and not (page.parent / target).exists():
			yield f"{name}: a link to {target}, which doesn't exist"


def main():
	root = pathlib.Path(sys.argv[1]).resolve()
	found, failed = pages(root), 0
	for page in found:
		bad = list(faults(root, page)) if page.exists() else [
			f"{page.relative_to(root)}: there is no such page"]
		print("\n".join(bad), end="\n" if bad else "")
		failed += bool(bad)
	print(f"{len(found) - failed} passed, {failed} failed")
	return failed > 0 or not found


if __name__ == "__main__":
	sys.exit(main())
