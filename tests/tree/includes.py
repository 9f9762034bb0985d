#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the arrows between folders: who may include whose headers, and that no circle of folders is left.

A file includes headers of its own folder by their names, and all others by their paths from the root. ORDER says which
folder is above which: a file may include headers of folders that stand before its own. Public headers (<ward/…>,
"ward/…") may be included by everyone. Usage: includes.py ROOT; `--graph` prints which folder includes which.
"""
import os
import pathlib
import re
import subprocess
import sys

# From below to above. Folders that are named together are still one.
ORDER = """
verifier/base
verifier/file
verifier/decode
verifier/domain
verifier/proof
verifier/step
verifier/check
verifier/sandbox
verifier/tool

codegen
codegen/base
codegen/infer
codegen/link
codegen/driver
codegen/llvm/ir
codegen/llvm/prepare
codegen/llvm/dialect
codegen/llvm/select
codegen/llvm/guard
codegen/llvm/search
codegen/llvm

kmod
loader/base
loader/kernel
loader/process
loader/helper
loader/symbols
loader/code
loader/types
loader/stub
loader/inject
loader/attach
loader/sample
loader/helper/program
loader/control
loader/backend
loader/api
loader/state loader/state/kinds

query

cluster/base
cluster/wire
cluster/bus
cluster/guard
cluster/merge
cluster/combine
cluster/coordinator
cluster/agent
cluster/link
cluster/enrol

export

cli

tests/z3/engine
tests/z3/model
tests/z3/statements
tests/z3
""".split("\n")
LEVEL = {folder: i for i, line in enumerate(ORDER) for folder in line.split()}
PARTS = ("verifier", "codegen", "loader", "kmod", "query", "cluster", "export", "cli")
# Parts of the tree, and what each may include of the others.
USES = {
	"verifier": {"verifier"},
	"kmod": {"kmod"},
	"codegen": {"codegen", "verifier"},
	"loader": {"loader", "verifier", "kmod"},
	"query": {"query"},  # and of libward its public header
	"cluster": {"cluster"},  # and of libward its public headers
	"export": {"export"},
	"cli": {"cli", "export", "cluster", "query", "loader", "codegen", "verifier"},
}
# Headers that stand alone, for every part.
SHARED = {"loader/base/arena.h"}
PUBLIC = ("spec/", "verifier/include/", "loader/include/", "probes/include/")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def part_of(name):
	return next((part for part in PARTS if name.startswith(part + "/")), name.split("/")[0])


def find(name, included, files):
	"""The file that an include means, or None: of the same folder, or from the root."""
	beside = os.path.normpath(os.path.join(os.path.dirname(name), included))
	return beside if beside in files else included if included in files else None


def faults(root, graph):
	files = set(subprocess.check_output(["git", "ls-files"], cwd=root, text=True).split())
	for name in sorted(files):
		folder = os.path.dirname(name)
		part = part_of(name)
		if part not in PARTS or not name.endswith((".c", ".h", ".S")) or name.startswith(PUBLIC):
			continue
		if "mem_runtime/" in name:
			continue  # compiled for probes, by itself
		if folder not in LEVEL:
			yield f"{name}: tests/tree/includes.py doesn't know where its folder stands"
			continue
		for included in INCLUDE.findall((root / name).read_text()):
			if included.startswith("ward/"):
				continue
			target = find(name, included, files)
			if not target:
				yield f"{name}: \"{included}\" is no header of its folder, and no path from the root"
				continue
			if os.path.dirname(target) == folder:
				if included != os.path.basename(target):
					yield f"{name}: \"{included}\" is in the same folder: include it by its name"
				continue
			if included != target:
				yield (f"{name}: \"{included}\" is in another folder: "
					f"include it by its path from the root, {target}")
			if target in SHARED:
				continue
			graph.setdefault(folder, set()).add(os.path.dirname(target))
			if part_of(target) not in USES[part]:
				yield f"{name}: {part}/ may not use {part_of(target)}/ ({included})"
			elif LEVEL.get(os.path.dirname(target), -1) > LEVEL[folder]:
				yield f"{name}: \"{included}\" points up, from {folder} to {os.path.dirname(target)}"


def main():
	graph = {}
	found = list(faults(pathlib.Path(sys.argv[1]), graph))
	if "--graph" in sys.argv:
		for folder in sorted(graph, key=lambda f: LEVEL[f]):
			print(f"{folder}: {' '.join(sorted(graph[folder], key=lambda f: LEVEL.get(f, -1)))}")
	for fault in found:
		print(f"ward: includes: {fault}")
	if found:
		print("hint: the folders' order is in tests/tree/includes.py")
	return 1 if found or not graph else 0


sys.exit(main())
