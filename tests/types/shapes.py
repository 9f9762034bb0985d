#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types of what gcc and clang make of shapes.c, in C and C++, with and without optimization: shapes.py SOURCE TOOL."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SOURCE, TOOL = sys.argv[1], sys.argv[2]
STRUCT = "the function returns a structure, for which there may be a hidden argument"
BEHIND = "a structure, or a number of more than 64 bits, is passed before it"
CHANGED = "the compiler has changed how the function is called"
passed = failed = 0


def check(what, ok, said=""):
	global passed, failed
	passed, failed = passed + ok, failed + (not ok)
	if not ok:
		print(f"FAILED: {what}\n{said}")


def ask(path, *sites):
	run = subprocess.run([TOOL, str(path), *sites], capture_output=True, text=True, timeout=60)
	return run.returncode, run.stdout


def places(text):
	"""{function: {parameter: place or reason}}, of the first of each name; and what is said of it as a whole."""
	functions, whole, at = {}, {}, None
	for line in text.split("\n"):
		one = re.match(r"  (\w*): .*?: (arg\d|no: [^:]*)", line)
		if one and at is not None:
			at.setdefault(one[1], one[2].removeprefix("no: "))
		elif line and not line.startswith(" "):
			name = line.split("!", 1)[1].split(": ")[0].split("(")[0]
			whole.setdefault(name, line)
			at = functions.setdefault(name, {}) if name not in functions else {}
	return functions, whole


def expect(build, functions, function, **wanted):
	have = functions.get(function, {})
	for name, place in wanted.items():
		check(f"{build}: {name} of {function} is {place}", re.fullmatch(place, have.get(name, "missing")) is not None, str(have))


def common(build, path, optimized, is_c):
	status, text = ask(path, f"{path.name}!*")
	functions, whole = places(text)
	check(f"{build}: it is read", status == 0, text[:300])
	expect(build, functions, "words", handle="arg0", path="arg1", size="arg2", color="arg3", flag="arg4", c="arg5",
		more="it is passed on the stack")
	expect(build, functions, "list", node="arg0", all="arg1", data="arg2", compare="arg3")
	expect(build, functions, "mixed", before="arg0", d="it is a number with a fraction.*", f="it is a number.*", behind="arg1")
	expect(build, functions, "by_value", before="arg0", p="it is a structure.*", behind="arg2" if optimized else BEHIND)
	expect(build, functions, "large_by_value", before="arg0",
		behind="arg1" if optimized or is_c else BEHIND, l="it is a structure.*")
	expect(build, functions, "returns_point", first="arg0" if optimized else STRUCT)
	expect(build, functions, "returns_large", first="arg1" if is_c else f"arg1|{STRUCT}" if optimized else STRUCT)
	expect(build, functions, "hidden_one", unused="arg0", used="arg1", also="arg2")
	expect(build, functions, "caller", node="arg0", n="arg1")
	if not optimized:
		expect(build, functions, "changed", node="arg0", constant="arg1", n="arg2")
	else:
		changed = next((f for f in functions if f.startswith("changed")), "missing")
		expect(build, functions, changed, node="arg0", constant="the compiler has made it a constant", n=f"arg1|{CHANGED}")
	for pattern in (r"words: uint64_t: int [a-z ]*u64", r"  color: (enum )?color color: arg3: enum color i32 \{RED=0, GREEN=7, BLUE=-1\}",
		r"  path: const char \*path: arg1: pointer \(int char c8\)", r"  flag: \w+ flag: arg4: bool", r"  c: signed char c: arg5: int signed char i8",
		r"  compare: int \(\*compare\)\(\)", r"  all: (struct )?node \*\*all: arg1: pointer \(pointer \(struct node of 72",
		r"kind@256:3 int unsigned int u32, level@259:5 int int i32, @40 union of 8 \{id@0 int [a-z ]*u64, weight@0 real double\}",
		r"tag@16 array of 16 \(int char c8\)", r"at@48 struct point of 8 \{x@0 int int i32, y@4 int int i32\}",
		r"size@56 enum extent u32 \{SMALL=1, LARGE=1000\}, secret@64 pointer \(struct hidden of 0 incomplete\)"):
		check(f"{build}: {pattern}", re.search(pattern, text) is not None, text[:2000])
	status, text = ask(path, f"{path.name}!nowhere" + ("" if is_c else "(long)"))
	check(f"{build}: one that is only inlined is said to be", not is_c or "only inlined copies of it are left" in text, text)
	return functions, whole, text


def cplusplus(build, path):
	functions, _ = places(ask(path, f"{path.name}!*")[1])
	expect(build, functions, "shape::scale", this="arg0", factor="arg1", origin="arg2")
	expect(build, functions, "shape::count", many="arg0")
	expect(build, functions, "space::inside", of="arg0", byte="arg1")
	# the complete constructor has no hidden argument, the other one has
	text = ask(path, f"{path.name}!derived::derived*")[1]
	for constructor in re.split(r"^(?=\S)", text, flags=re.M):
		if not constructor.strip() or "specialized" in constructor:
			continue
		hidden = re.search(r"^  (__vtt_parm|vtt): ", constructor, re.M)
		check(f"{build}: {constructor}", (f"first: int first: arg{2 if hidden else 1}" in constructor) and
			(f"second: const char *second: arg{3 if hidden else 2}" in constructor))
	check(f"{build}: two constructors", len(re.findall(r"^\S.*derived::derived\(int, char const\*\): void", text, re.M)) == 2, text)


def stripped(folder):
	whole = folder / "whole"
	subprocess.run(["gcc", "-g", "-O2", "-rdynamic", "-Wl,--build-id", "-o", whole, SOURCE], check=True)
	bare = folder / "bare" / "whole"
	bare.parent.mkdir()
	subprocess.run(["strip", "-o", bare, whole], check=True)
	status, text = ask(bare, "whole!words")
	check("a stripped file says why", status == 0 and "no: its file has no debug information, and there is no separate file with it" in text, text)
	# its separate file is found beside it
	subprocess.run(["objcopy", "--only-keep-debug", whole, folder / "bare" / "whole.debug"], check=True)
	subprocess.run(["objcopy", f"--add-gnu-debuglink={folder / 'bare' / 'whole.debug'}", bare], check=True)
	check("a separate file is read", ask(bare, "whole!words") == ask(whole, "whole!words"))
	# of another build it is none
	subprocess.run(["gcc", "-g", "-O0", "-rdynamic", "-Wl,--build-id", "-o", folder / "other", SOURCE], check=True)
	subprocess.run(["objcopy", "--only-keep-debug", folder / "other", folder / "bare" / "whole.debug"], check=True)
	check("one of another build is not", "no: its file has no debug information" in ask(bare, "whole!words")[1])
	check("a pattern that nothing matches is an error", ask(whole, "whole!nothing")[0] != 0)
	check("one that is no pattern too", ask(whole, "nothing")[0] != 0)
	status, text = ask(whole, "whole!words", "whole!list", "whole!w*s")
	check("several sites, each once", status == 0 and text.count("whole!words:") == 1 and text.count("whole!list:") == 1, text)
	check("an instruction has no parameters", "no: parameters are known where a function begins" in ask(whole, "whole!words+4")[1], ask(whole, "whole!words+4")[1])


def section(path, name):
	"""Where a section of the file is, and its size."""
	for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout.split("\n"):
		m = re.match(r"\s*\[ *\d+\] (\S+)\s+\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", line)
		if m and m[1] == name:
			return int(m[2], 16), int(m[3], 16)
	return 0, 0


def lies(folder, seed):
	"""Debug information that says anything: the tool ends by itself, and says nothing that can't be."""
	random.seed(seed)
	whole = folder / "whole"
	parts = [section(whole, n) for n in (".debug_info", ".debug_abbrev", ".debug_str", ".debug_loclists", ".debug_rnglists", ".debug_line")]
	parts = [p for p in parts if p[1]]
	bad = folder / "lies"
	other = 0
	for _ in range(80):
		bytes_ = bytearray(whole.read_bytes())
		at, size = random.choice(parts[:2] if random.random() < .7 else parts)
		for _ in range(random.choice((1, 1, 2, 8, 100))):
			bytes_[at + random.randrange(size)] = random.choice((0, 1, 0x7f, 0x80, 0xff, random.randrange(256)))
		bad.write_bytes(bytes_)
		status, text = ask(bad, "lies!*")
		other += text != ""
		check("lies do no harm", 0 <= status < 128 and not re.search(r"arg[6-9]|[^ -~\n]", text), text[:500])
	check("lies are answered", other == 80)


def cycles(folder):
	"""A typedef of itself, a structure that has itself, and an array of itself."""
	source = folder / "cycle.s"
	source.write_text(ASSEMBLY)
	subprocess.run(["gcc", "-o", folder / "cycle", source], check=True)
	status, text = ask(folder / "cycle", "cycle!main")
	check("types in circles", status == 0 and "name: " in text and "a: {...} a: no: " in text
		and "b: struct s *b" in text and "s@0 struct s of 8" in text, text)


def die(number, *values):
	return f"\t.uleb128 {number}\n" + "".join(f"\t{v}\n" for v in values)


ASSEMBLY = """
	.text
	.globl main
	.type main, @function
main:	xorl %eax, %eax
	ret
.Lend:	.size main, .-main
	.section .debug_abbrev, "", @progbits
""" + "".join(f"\t.uleb128 {n}, {tag}\n\t.byte {children}\n" + "".join(f"\t.uleb128 {a}, {f}\n" for a, f in attributes) + "\t.uleb128 0, 0\n"
	for n, tag, children, attributes in (
		(1, 0x11, 1, ((0x13, 0x0b), (0x11, 0x01), (0x12, 0x06))),  # a unit: language, low_pc, high_pc
		(2, 0x2e, 1, ((0x03, 0x08), (0x11, 0x01), (0x12, 0x06))),  # a function: name
		(3, 0x05, 0, ((0x03, 0x08), (0x49, 0x13))),                # a parameter: name, type
		(4, 0x16, 0, ((0x49, 0x13),)),                             # a typedef
		(5, 0x13, 1, ((0x03, 0x08), (0x0b, 0x0b))),                # a structure: name, size
		(6, 0x0d, 0, ((0x03, 0x08), (0x49, 0x13), (0x38, 0x0b))),  # a member: name, type, offset
		(7, 0x0f, 0, ((0x49, 0x13),)),                             # a pointer
		(8, 0x01, 0, ((0x49, 0x13),)))) + """	.byte 0
	.section .debug_info, "", @progbits
.Lunit:	.long .Lafter - .Lversion
.Lversion: .short 4
	.long 0
	.byte 8
""" + die(1, ".byte 12", ".quad main", ".long .Lend - main") + die(2, '.asciz "main"', ".quad main", ".long .Lend - main") \
	+ die(3, '.asciz "name"', ".long .Lunit - .Lunit + 0x7fffffff") + die(3, '.asciz "a"', ".long .Lloop - .Lunit") \
	+ die(3, '.asciz "b"', ".long .Lto - .Lunit") + die(3, '.asciz "c"', ".long .Larray - .Lunit") + "\t.byte 0\n.Lloop:\n" \
	+ die(4, ".long .Lloop - .Lunit") + ".Ls:\n" + die(5, '.asciz "s"', ".byte 8") + die(6, '.asciz "s"', ".long .Ls - .Lunit", ".byte 0") \
	+ "\t.byte 0\n.Lto:\n" + die(7, ".long .Ls - .Lunit") + ".Larray:\n" + die(8, ".long .Larray - .Lunit") + "\t.byte 0\n.Lafter:\n\t.section .note.GNU-stack\n"


def main():
	with tempfile.TemporaryDirectory() as name:
		folder = pathlib.Path(name)
		for compiler, language in (("gcc", "c"), ("clang-19", "c"), ("g++", "c++"), ("clang++-19", "c++")):
			for level in ("-O0", "-O2"):
				build = f"{compiler} {level}"
				path = folder / f"shapes-{compiler.replace('+', 'x')}{level}"
				subprocess.run([compiler, "-g", level, "-rdynamic", "-x", language, SOURCE, "-o", path], check=True)
				common(build, path, level == "-O2", language == "c")
				if language == "c++":
					cplusplus(build, path)
		stripped(folder)
		lies(folder, 1)
		cycles(folder)
	print(f"{passed} passed, {failed} failed")
	return failed != 0 or passed == 0


sys.exit(main())
