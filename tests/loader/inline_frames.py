#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions that are inlined at addresses all over each file's code, beside what llvm-symbolizer says."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MOST = 20000
DAMAGED = 200
FAR = 0.001  # share of the addresses that may differ: two functions at one address are in either order


def code(path):
    """The addresses to ask for: as many as MOST, at the same distance."""
    text = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    start, size = next((int(m[1], 16), int(m[2], 16)) for m in re.finditer(
        r"\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", text))
    return range(start, start + size, max(1, size // MOST))


def theirs(symbolizer, path, addresses):
    lines = subprocess.run([symbolizer, "--obj=" + path, "--output-style=GNU", "--addresses", "--no-demangle"],
                           check=True, capture_output=True, text=True,
                           input="\n".join(map(hex, addresses))).stdout.split("\n")
    filtered = subprocess.run(["c++filt"], check=True, capture_output=True, text=True, input="\n".join(lines))
    chains = []
    for line in filtered.stdout.split("\n"):
        if re.fullmatch(r"0x[0-9a-f]+", line):
            chains.append([])
            is_name = True
        elif line:
            if is_name:
                chains[-1].append(re.sub("::h[0-9a-f]{16}$", "", line))  # Rust's hash
            is_name = not is_name
    return [chain[:-1] for chain in chains]  # the last one is the function itself


def ours(program, path, addresses):
    lines = subprocess.run([program, path], check=True, capture_output=True, text=True,
                           input="\n".join(map(hex, addresses))).stdout.split("\n")[:-1]
    return [line.split("\t") if line else [] for line in lines]


def same(one, other):
    """Names without a symbol have no scopes there."""
    return len(one) == len(other) and all(a == b or a.endswith("::" + b) for a, b in zip(one, other))


def check_damaged(program, path):
    """Whatever the debug information says, the answer is one line for each address."""
    data = pathlib.Path(path).read_bytes()
    text = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    places = [(int(m[1], 16), int(m[2], 16)) for m in re.finditer(
        r"\] \.debug_[a-z]+ +PROGBITS +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", text)]
    addresses, draw, named = code(path), random.Random(7), 0
    for number in range(DAMAGED):
        damaged = bytearray(data)
        for _ in range(1 + number % 8):
            start, size = draw.choice(places)
            damaged[start + draw.randrange(size)] = draw.choice((0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)))
        with tempfile.NamedTemporaryFile() as file:
            file.write(damaged[:draw.choice((len(damaged), len(damaged), draw.randrange(len(damaged))))])
            file.flush()
            lines = subprocess.run([program, file.name], capture_output=True, timeout=300,
                                   input="\n".join(map(hex, addresses)).encode())
        if lines.returncode not in (0, 2) or lines.returncode == 0 and lines.stdout.count(b"\n") != len(addresses):
            print(f"damaged file {number}: status {lines.returncode}, {lines.stdout.count(10)} lines")
            return False
        named += lines.stdout.strip(b"\n") != b""
    print(f"{DAMAGED} damaged files, {named} of which say something")
    return named > 0


def main():
    symbolizer, program, *files = sys.argv[1:]
    bad = 0
    for path in files:
        addresses = code(path)
        his, mine = theirs(symbolizer, path, addresses), ours(program, path, addresses)
        different = [i for i, a in enumerate(addresses) if not same(mine[i], his[i])]
        inlined = sum(1 for chain in his if chain)
        print(f"{path}: {len(addresses)} addresses, {inlined} in inlined functions, {len(different)} differ")
        for i in different[:5]:
            print(f"  {addresses[i]:#x}: ours {mine[i]}, theirs {his[i]}")
        if len(his) != len(addresses) or len(mine) != len(addresses) or not inlined or \
                len(different) > FAR * len(addresses):
            bad = 1
    return bad or not check_damaged(program, files[0])


if __name__ == "__main__":
    sys.exit(main())
