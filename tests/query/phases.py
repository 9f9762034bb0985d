#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Windows of one phase of a program are in one cluster: phases.py ROOT WARD PHASES.

The example of the automatic analysis, with windows of 100 ms, of a program that goes through three phases twice. Those
windows count that are wholly within a phase: of these at least 95 of 100 have to be where the phase's others are, and
each phase has its own cluster.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, WARD, PHASES = sys.argv[1:]
LENGTH = 100_000_000
TRIES = 5
query = pathlib.Path(ROOT, "examples/queries/phases.wq").read_text().replace("libsqlite3.so.0!sqlite3_*", "phases!*")
query = query.replace("KMeans(5)", "KMeans(3)").replace('"phases!*"', '"phases!parse", "phases!plan", "phases!run"')
with tempfile.TemporaryDirectory() as tmp:
	shutil.copy(PHASES, f"{tmp}/phases")
	for _ in range(TRIES):
		run = subprocess.run([WARD, "query", "--json", "-q", "-o", "rows", "--html", "page.html",
			"-D", "period=100.ms", query, "--", "./phases", "2", "1500"],
			cwd=tmp, capture_output=True, text=True, check=True)
		answer = json.loads(pathlib.Path(tmp, "rows").read_text().splitlines()[-1])
		if answer["complete"]:  # a busy machine may have no time to read a window before the next has begun
			break
	page = pathlib.Path(tmp, "page.html").read_text()
begins = [int(line) for line in run.stdout.split()]
found = collections.defaultdict(collections.Counter)
for row in answer["rows"]:
	for phase, (begin, end) in enumerate(zip(begins, begins[1:])):
		if begin <= row["window"] and row["window"] + LENGTH <= end:
			found[phase % 3][row["cluster"]] += 1
total = sum(sum(c.values()) for c in found.values())
common = {phase: c.most_common(1)[0] for phase, c in found.items()}
right = sum(n for _, n in common.values())
print(f"{right} of {total} windows are where their phase is: {dict(found)}")
checks = {"windows of all phases": len(found) == 3 and total >= 60,
	"each phase has its own cluster": len({c for c, _ in common.values()}) == 3,
	"at least 95 of 100": right * 100 >= total * 95, "three centroids": len(answer["centroids"]) == 3,
	"the answer is complete": answer["complete"],
	"a chart of them": "<figcaption>clusters</figcaption>" in page}
for what, holds in checks.items():
	if not holds:
		print(f"FAILED: {what}: {answer.get('lacks')}")
print(f"{sum(checks.values())} passed, {len(checks) - sum(checks.values())} failed")
sys.exit(not all(checks.values()))
