#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of answers are as recorded, well-formed, without a script or an address, and a browser draws them:
pages.py TOOL. With --write it records them in golden/pages/.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zlib

TOOL, HERE = sys.argv[1], pathlib.Path(__file__).parent / "golden" / "pages"
READ, DRAWN = ("bars", "clusters"), ("time",)
COLOURS = {(0x3b, 0x6f, 0xd4), (0xd9, 0x77, 0x2b), (0x2f, 0x9e, 0x5b)}
results = []


def check(what, holds):
	results.append(holds)
	if not holds:
		print(f"FAILED: {what}")


def chromium(tmp, *options):
	return subprocess.run(
		["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
			"--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp}/profile", *options],
		stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=True).stdout.decode()


def pixels(png):
	"""Rows of (red, green, blue) of a PNG of 8 bits a sample."""
	at, data = 8, b""
	while at < len(png):
		n, kind = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
		body = png[at + 8:at + 8 + n]
		if kind == b"IHDR":
			width, height, step = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), \
				{2: 3, 6: 4}[body[9]]
		if kind == b"IDAT":
			data += body
		at += 12 + n
	data, before, line = zlib.decompress(data), bytearray(width * step), width * step
	for y in range(height):
		how, row = data[y * (line + 1)], bytearray(data[y * (line + 1) + 1:(y + 1) * (line + 1)])
		for i in range(line):
			a, b, c = (row[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
			if how == 4:
				p = a + b - c
				near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
			else:
				near = (0, a, b, (a + b) // 2)[how]
			row[i] = (row[i] + near) & 255
		before = row
		yield [tuple(row[i:i + 3]) for i in range(0, line, step)]


def drawn(tmp, page):
	"""How many pixels of the screen have a chart's colour."""
	chromium(tmp, f"--screenshot={tmp}/page.png", "--window-size=900,700", f"file://{page}")
	return sum(p in COLOURS for row in pixels(pathlib.Path(f"{tmp}/page.png").read_bytes()) for p in row)


def texts(node):
	return "".join(t.data if t.nodeType == t.TEXT_NODE else texts(t) for t in node.childNodes)


def shape(document):
	"""Each element, and the texts of those that have no elements in them."""
	return [(e.tagName, "" if e.getElementsByTagName("*") else texts(e))
		for e in document.getElementsByTagName("*")]


def main():
	for line in subprocess.run([TOOL], capture_output=True, text=True, check=True).stdout.splitlines():
		name, kind = line.split()
		if kind != "page":
			continue
		page = subprocess.run([TOOL, name], capture_output=True, check=True).stdout
		recorded = HERE / f"{name}.html"
		if sys.argv[2:] == ["--write"]:
			recorded.write_bytes(page)
			continue
		check(f"{name}: as recorded", page == recorded.read_bytes())
		check(f"{name}: the same each time", page == subprocess.run([TOOL, name], capture_output=True,
			check=True).stdout)
		check(f"{name}: no address and no script",
			not re.search(rb"https?:|//[a-z]|src=|href=|url\(|@import|<script| on\w+=", page))
		try:
			xml.dom.minidom.parseString(page)
		except Exception as e:
			check(f"{name}: well-formed: {e}", False)
		check(f"{name}: no control characters",
			not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\x8e\x8f\xaa-\xae]", page))
	if sys.argv[2:] == ["--write"]:
		return 0
	with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as tmp:
		for name in READ:
			# what HTML writes without an end is the only difference to XML; a table's rows get a body
			# around them
			dom = re.sub(r"<(meta [^>]*)>", r"<\1/>", chromium(tmp, "--dump-dom",
				f"file://{HERE / name}.html"))
			check(f"{name}: a browser reads the same elements and texts",
				[e for e in shape(xml.dom.minidom.parseString(dom)) if e[0] != "tbody"]
				== shape(xml.dom.minidom.parse(str(HERE / f"{name}.html"))))
		for name in DRAWN:
			check(f"{name}: a browser draws it", drawn(tmp, HERE / f"{name}.html") > 500)
	print(f"{results.count(True)} passed, {results.count(False)} failed")
	return not results or not all(results)


sys.exit(main())
