#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold each file to REUSE's layout: an SPDX line at its top with the licence that its folder has, or a row in
REUSE.toml.

Kernel modules are GPL-2.0-only, as they are linked to the kernel; what authors copy into programs of their own (the
dialect's headers, the examples) is MIT-0; all else is Apache-2.0. debian/copyright says the same of each file.
Usage: licences.py ROOT
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tomllib

FOLDERS = {
	"kmod/": "GPL-2.0-only",
	"tests/kernel/module/": "GPL-2.0-only",
	"probes/include/": "MIT-0",
	"examples/": "MIT-0",
}
TOP = 5  # lines in which the SPDX line must be


def wanted(name):
	return next((licence for folder, licence in FOLDERS.items() if name.startswith(folder)), "Apache-2.0")


def annotated(root):
	"""Patterns of files without a line of their own: all rows of REUSE.toml but the one for every file."""
	with open(root / "REUSE.toml", "rb") as f:
		rows = tomllib.load(f)["annotations"]
	paths = [p for row in rows for p in ([row["path"]] if isinstance(row["path"], str) else row["path"])]
	return [p for p in paths if p != "**"]


def packaged(root):
	"""What debian/copyright says: patterns with their licence; the last that fits a file holds."""
	text = (root / "debian/copyright").read_text()
	fields = r"^Files:((?:.|\n )*)\nCopyright:.*\nLicense: (\S+)"
	return [(pattern, licence) for files, licence in re.findall(fields, text, re.M) for pattern in files.split()]


def fault(root, name, patterns, package):
	path = root / name
	if path.is_symlink() or not path.is_file() or name.startswith("LICENSES/"):
		return None
	shipped = [licence for pattern, licence in package if fnmatch.fnmatchcase(name, pattern)]
	if shipped[-1:] != [wanted(name)]:
		return f"{name}: debian/copyright has {shipped[-1:]}, where its folder has {wanted(name)}"
	if any(fnmatch.fnmatchcase(name, p) for p in patterns):
		return None
	top = path.read_bytes().split(b"\n", TOP)[:TOP]
	found = [m.group(1).decode() for line in top
		if (m := re.search(rb"SPDX-License-Identifier: ([A-Za-z0-9.-]+)", line))]
	if not found:
		return f"{name}: no SPDX line in its first {TOP} lines"
	if found[0] != wanted(name):
		return f"{name}: {found[0]}, where its folder has {wanted(name)}"
	for text in [found[0]] + re.findall(r" WITH ([A-Za-z0-9.-]+)", b"\n".join(top).decode(errors="replace")):
		if not (root / "LICENSES" / f"{text}.txt").exists():
			return f"{name}: LICENSES/ has no text of {text}"
	return None


def main():
	root = pathlib.Path(sys.argv[1]).resolve()
	names = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True, text=True).stdout
	patterns = annotated(root)
	package = packaged(root)
	names = [n for n in names.split("\0") if n]
	faults = [f for n in names if (f := fault(root, n, patterns, package))]
	print("\n".join(faults), end="\n" if faults else "")
	print(f"{len(names) - len(faults)} passed, {len(faults)} failed")
	return bool(faults) or not names


if __name__ == "__main__":
	sys.exit(main())
