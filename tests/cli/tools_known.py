#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""probes/tools/: each is in the table of docs/tracing/tools.md and compiles, and those of a process see what a program
does. tools_known.py ROOT WARD TARGETS
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT, WARD, TARGETS = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
TOOLS = ROOT / "probes/tools"
PYTHON = "/usr/bin/python3"  # of Debian: its functions are where a distribution has them
TLS = """
import ctypes, socket, ssl, sys, threading
at = ctypes.cast(ctypes.CDLL("libssl.so.3").SSL_write_ex, ctypes.c_void_p).value
for line in open("/proc/self/maps"):
	start, end = (int(x, 16) for x in line.split()[0].split("-"))
	if start <= at < end:
		file = open(line.split()[5], "rb"); file.seek(at - start + int(line.split()[2], 16)); unchanged = file.read(64)
while ctypes.string_at(at, 64) == unchanged: # until the library that came just now is probed
	pass
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); server.load_cert_chain(sys.argv[1], sys.argv[2])
client = ssl.create_default_context(cafile=sys.argv[1]); client.check_hostname = False
a, b = socket.socketpair()
def serve():
	s = server.wrap_socket(a, server_side=True); assert s.recv(100) == b"a question"; s.send(b"an answer")
t = threading.Thread(target=serve); t.start()
c = client.wrap_socket(b, server_hostname="ward"); c.send(b"a question"); assert c.recv(100) == b"an answer"; t.join()
"""
# What Java's has at its ends of collections, in the library's name.
COLLECTOR = """
#include <stdbool.h>
#include <time.h>
#include <ward/tracepoint.h>
__attribute__((noipa)) void gc_begin(bool full) { WARD_TRACEPOINT(hotspot, gc__begin, full); }
__attribute__((noipa)) void gc_end(void) { WARD_TRACEPOINT(hotspot, gc__end); }
void collect(int n)
{
	struct timespec t = {.tv_nsec = n * 1000000};
	gc_begin(n % 4 == 0);
	nanosleep(&t, 0);
	gc_end();
}
"""
results = []


def check(what, holds, more=""):
	results.append(bool(holds))
	if not holds:
		print(f"FAILED: {what} {more}")


def trace(tool, *command, options=(), given=None):
	r = subprocess.run([WARD, "trace", "-q", "--json", *options, TOOLS / f"{tool}.c", "--", *command], input=given,
		stdin=None if given is not None else subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
	check(f"{tool} ends well", r.returncode == 0, r.stderr)
	lines = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
	return lines, {x["field"]: x for x in lines if x["type"] == "field"}


def check_tables(tmp):
	page = (ROOT / "docs/tracing/tools.md").read_text()
	for source in sorted(TOOLS.rglob("*.c")):
		name = source.relative_to(TOOLS)
		check(f"{name} is in the table", f"probes/tools/{name})" in page)
		kernel = ["--profile", "kernel"] if name.parts[0] == "kernel" else []
		if kernel and not pathlib.Path("/sys/kernel/btf/vmlinux").exists():
			continue  # the kernel's suite compiles them for the kernel that it boots
		r = subprocess.run([WARD, "cc", *kernel, source, "-o", tmp / "tool.ward"], capture_output=True, text=True)
		check(f"{name} compiles without a word", r.returncode == 0 and not r.stderr, r.stderr)


def check_collections(tmp):
	(tmp / "jvm.c").write_text(COLLECTOR)
	(tmp / "java.c").write_text(
		"void collect(int), gc_end(void);\n"
		"int main(void) { gc_end(); for (int n = 1; n <= 8; n++) collect(n); }")
	gcc = ["gcc", "-O2", "-I", ROOT / "loader/include"]
	subprocess.run([*gcc, "-shared", "-fPIC", tmp / "jvm.c", "-o", tmp / "libjvm.so"], check=True)
	subprocess.run([*gcc, tmp / "java.c", "-L", tmp, "-ljvm", f"-Wl,-rpath,{tmp}", "-o", tmp / "java"], check=True)
	lines, fields = trace("javagc", tmp / "java")
	check("javagc: an end without a beginning doesn't count", fields["all"]["value"] == 8, fields)
	check("javagc: two of all of the heap", fields["full"]["value"] == 2, fields)
	collections = [x["record"] for x in lines if x["type"] == "record"]
	check("javagc: each is as long as it was, and of its kind", len(collections) == 8 and all(
		c["took"] >= n * 0.99e6 and c["full"] == (n % 4 == 0)
		for n, c in enumerate(collections, 1)), collections)


def main():
	with tempfile.TemporaryDirectory() as name:
		tmp = pathlib.Path(name)
		check_tables(tmp)
		burst = f"{TARGETS}/burst"
		_, fields = trace("funccount", burst, options=["-f", "burst!work"], given="500\n")
		check("funccount", "500" in json.dumps(fields["calls"]), fields)
		_, fields = trace("funclatency", burst, options=["-f", "burst!work"], given="500\n")
		check("funclatency", sum(b["count"] for b in fields["times"]["buckets"]) == 500, fields.get("times"))
		_, fields = trace("argdist", burst, options=["-f", "burst!work"], given="50\n")
		check("argdist", len(fields["values"]["entries"]) == 50, fields.get("values"))
		lines, fields = trace("threadsnoop", f"{TARGETS}/graphed", "1", "8")
		check("threadsnoop", fields["threads"]["value"] == 8, fields)
		lines, _ = trace("gethostlatency", PYTHON, "-c", "import socket; socket.getaddrinfo('127.0.0.1', 80)")
		check("gethostlatency", '"127.0.0.1"' in json.dumps(lines), lines[-4:])
		_, fields = trace("memleak", f"{TARGETS}/leaky")
		held = {(e["value"]["blocks"], e["value"]["bytes"]) for e in fields["held_by"]["entries"]}
		check("memleak: what is kept, by stack", (100, 2400) in held, fields["held_by"])
		subprocess.run([WARD, "trace", "-q", "--export", f"folded:{tmp}/held", TOOLS / "memleak.c", "--",
			f"{TARGETS}/leaky"], capture_output=True, timeout=300)
		stacks = [line.rsplit(" ", 1)[0].split(";") for line in (tmp / "held").read_text().splitlines() if
			line.endswith(" 2400")]
		check("memleak: exported, a stack has a frame for each function", len(stacks) == 1 and
			stacks[0][-2:] == ["leaky!keep_one", "libc.so.6!malloc"] and "leaky!main" in stacks[0], stacks)
		check("memleak: what another thread has freed isn't held", not any(b == 40 * n and n for n, b in held), held)
		check_collections(tmp)
		lines, fields = trace("deadlock", f"{TARGETS}/leaky")
		check("deadlock: one pair is locked in both orders", fields["inversions"]["value"] == 1, fields)
		check("deadlock: where", "lock_both" in json.dumps(lines), lines[-5:])
		subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
			"-subj", "/CN=ward", "-keyout", tmp / "key", "-out", tmp / "cert"], check=True, capture_output=True)
		lines, _ = trace("sslsnoop", PYTHON, "-c", TLS, tmp / "cert", tmp / "key", options=["--later"])
		text = json.dumps(lines)
		check("sslsnoop sees what was said", '"a question"' in text and '"an answer"' in text, text[:500])
	print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
	return 0 if results and all(results) else 1


sys.exit(main())
