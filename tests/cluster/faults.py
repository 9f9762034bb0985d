#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The matrix of faults: real agents on a real bus, one fault a row. In each the result is, to the digit, what has
arrived of each machine and epoch; who isn't in it is named; nothing is left in a process. What is random comes from
the seed. Rows of combiners are in combiners.py; messages that come twice or in another order, in test_run.c and
model.c.

Usage: faults.py PROGRAMS GROUP [--seed N] [--times N] [ROW]...

GROUP is a file faults_GROUP.py beside this one; ROW one of its rows, by its name. PROGRAMS is a file that the build
writes: NAME=PATH, … of all programs. With --times 0 the rows are listed.
"""
import argparse
import importlib
import random
import sys
import time

import cluster
from stage import Skip, Stage, programs_read


results = []


def rows_of(group):
	module = importlib.import_module(f"faults_{group}")
	return {name.replace("_", "-"): getattr(module, name) for name in module.ROWS}


def run(stage, name, row, seed):
	random.seed(f"{seed} {name}")
	before, began = cluster.failures, time.monotonic()
	result = "ok"
	try:
		stage.is_begun = False
		row(stage)
	except Skip as why:
		result = f"skipped: {why}"
	except TimeoutError as why:
		cluster.check(name, False, why)
	if cluster.failures > before:
		result = "FAILED"
		stage.forget()
	results.append(result)
	print(f"{name}: {result} ({time.monotonic() - began:.1f} s)", flush=True)


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("programs")
	parser.add_argument("group")
	parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
	parser.add_argument("--times", type=int, default=1)
	parser.add_argument("rows", nargs="*")
	given = parser.parse_intermixed_args()
	rows = rows_of(given.group)
	unknown = set(given.rows) - set(rows)
	if unknown or not given.times:
		print(*sorted(rows), sep="\n")
		sys.exit(f"no such row: {', '.join(unknown)}" if unknown else 0)
	with Stage(programs_read(given.programs)) as stage:
		for i in range(given.times):
			seed = given.seed + i
			print(f"seed {seed}", flush=True)
			names = given.rows or list(rows)
			random.Random(seed).shuffle(names)
			for name in names:
				run(stage, name, rows[name], seed)
	skipped = sum(result.startswith("skipped") for result in results)
	print(f"{len(results)} rows, {skipped} skipped, {results.count('FAILED')} failed")
	cluster.summary()


if __name__ == "__main__":
	main()
