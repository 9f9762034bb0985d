#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the global names of our static libraries apart: no two of them define the same one.

A linker takes the first definition that it meets and doesn't read the second, so a call may silently reach another
function than its author meant. Hidden names are global for a static library as well. A program's own objects win over
every library in the same way. So each name has one definition in all libraries, and none of a program's is among them.

Usage: globals.py LIST, where LIST has lines "library NAME FILE", "program NAME OBJECT;OBJECT…" and "same NAME NAME":
these two libraries are made of the same objects, and no program is linked with both.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

SYMBOL = re.compile(r"^(.*): (\S+) ([A-Za-z]) ")


def defined(files):
	"""Each global name that the files define, and where."""
	for i in range(0, len(files), 200):
		run = ["nm", "-A", "-P", "-g", "--defined-only", *files[i:i + 200]]
		for line in subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
			m = SYMBOL.match(line)
			if m:
				yield m[2], m[1]


def faults(libraries, programs, same):
	"""libraries: by name, their file. programs: by name, their objects. same: sets of two libraries."""
	owners = collections.defaultdict(list)
	for library, file in libraries.items():
		for name, where in defined([file]):
			for other, there in owners[name]:
				if {library, other} not in same:
					yield f"{name}: defined in {there} and in {where}"
			owners[name].append((library, where))
	for program, objects in programs.items():
		for name, where in defined(objects):
			for library, there in owners.get(name, []):
				yield f"{name}: defined in {there} and in {program} itself, {where}"


def count(libraries):
	return len({name for file in libraries.values() for name, _ in defined([file])})


def finds_planted():
	"""Is a name found that two libraries define, that one defines twice, and that a program defines as well?"""
	with tempfile.TemporaryDirectory() as tmp:
		def assemble(name, *defines):
			source = "".join(f".globl {d}\n.hidden {d}\n{d}: ret\n" for d in defines)
			subprocess.run(["as", "-o", f"{tmp}/{name}.o", "-"], input=source, text=True, check=True)
			return f"{tmp}/{name}.o"

		def archive(name, *objects):
			subprocess.run(["ar", "rcs", f"{tmp}/{name}.a", *objects], check=True)
			return f"{tmp}/{name}.a"
		libraries = {"one": archive("one", assemble("a", "alone", "both")),
			"two": archive("two", assemble("b", "both", "twice"), assemble("c", "twice"))}
		programs = {"program": [assemble("main", "main", "alone")]}
		found = sorted(fault.split(":")[0] for fault in faults(libraries, programs, []))
		kept = [f.split(":")[0] for f in faults(libraries, {}, [{"one", "two"}])]
		return found == ["alone", "both", "twice"] and kept == ["twice"]


def main():
	libraries, programs, same = {}, {}, []
	with open(sys.argv[1]) as f:
		for line in f:
			kind, name, rest = line.strip().split(" ", 2)
			if kind == "library":
				libraries[name] = rest
			elif kind == "program":
				programs[name] = rest.split(";")
			else:
				same.append({name, rest})
	for library, file in list(libraries.items()):
		if not os.path.exists(file):
			print(f"{library} isn't built: it isn't read")   # `make check` builds all
			del libraries[library]
	for program, objects in list(programs.items()):
		programs[program] = [o for o in objects if os.path.exists(o)]
	found = list(faults(libraries, programs, same))
	for fault in found:
		print(f"ward: globals: {fault}")
	if found:
		print("hint: make one of them static, or give it the word of its file")
	if not finds_planted():
		print("ward: globals: planted names weren't found")
		return 1
	print(f"{count(libraries)} global names in {len(libraries)} libraries")
	return 1 if found or len(libraries) < 5 or not programs else 0


sys.exit(main())
