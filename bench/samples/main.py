#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What samples take of a busy process's time, and what it takes to read them: bench/samples/main.py BUILD [ROUNDS]

A program with a thread for each processor does nothing but look at the time stamp counter, and so sees each of its
interruptions, and how long it is. Such as are longer than 80 us are other programs' turns, and left out. In each round
it runs alone, and then under each profiler in turn, with a stack at each sample. A figure is the share of its time that
it is interrupted, less that right before and after; of all rounds the median, and the quartiles.

What an interruption throws out of the caches isn't in it.
"""
import mmap
import os
import pathlib
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

RATES = 99, 990
WINDOW, SETTLE = 2, 0.3
LINE = 64


class Target:
    """The busy process."""

    def __init__(self, program, folder):
        path = folder / "lines"
        self.size = LINE * os.cpu_count()
        self.process = subprocess.Popen([program, path, str(os.cpu_count())])
        while not path.exists() or path.stat().st_size < self.size:
            time.sleep(0.01)
        with open(path, "rb") as f:
            self.lines = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)

    def counts(self):
        """Of all threads: ran, interrupted."""
        return [sum(struct.unpack_from("=Q", self.lines, at + word)[0] for at in range(0, self.size, LINE))
                for word in (0, 8)]

    def window(self):
        """The share of the time that comes that it is interrupted."""
        first = self.counts()
        time.sleep(WINDOW)
        ran, interrupted = (b - a for a, b in zip(first, self.counts()))
        return interrupted / ran


def used(pid):
    """Processor time of a process, in seconds."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def under(target, command, begun):
    """A window while the command runs: how long a piece takes, and the command's own share of a processor."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as p:
        if begun:
            for line in p.stderr:
                if begun in line:
                    break
        time.sleep(SETTLE)
        before, began = used(p.pid), time.monotonic()
        took = target.window()
        share = (used(p.pid) - before) / (time.monotonic() - began)
        p.send_signal(signal.SIGINT)
        p.stderr.read()
    return took, share


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    top = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        probe = folder / "profile.ward"
        subprocess.run([build / "bin/ward", "cc", top / "probes/tools/profile.c", "-o", probe], check=True)
        target = Target(build / "bench/samples/ward-bench-samples-target", folder)
        ways = {}
        for hz in RATES:
            ways[f"ward trace, profile:{hz}"] = ([build / "bin/ward", "trace", "-p", str(target.process.pid), "-f",
                                                      f"profile:{hz}", probe], "attached")
            if shutil.which("perf"):
                ways[f"perf record -F {hz} --call-graph dwarf"] = (
                    ["perf", "record", "-v", "-F", str(hz), "-e", "cpu-clock", "--call-graph", "dwarf", "-p",
                         str(target.process.pid), "-o", folder / "perf.data"], "mmap size")
        try:
            measure(target, ways, rounds)
        finally:
            target.process.kill()
            target.process.wait()


def measure(target, ways, rounds):
    took = {way: [] for way in ways}
    shares = {way: [] for way in ways}
    idle = []
    time.sleep(1)
    for _ in range(rounds):
        alone = target.window()
        for way, (command, begun) in ways.items():
            interrupted, share = under(target, command, begun)
            after = target.window()
            took[way].append(interrupted - (alone + after) / 2)
            shares[way].append(share)
            idle.append(after)
            alone = after
    print(f"{os.cpu_count()} busy threads; median of {rounds} rounds (quartiles)")
    print(f"{'':42}{'of the process, %':>30}{'of a processor, %':>20}")
    print(f"{'alone':42}{spread(idle):>30}")
    for way in ways:
        print(f"{way:42}{spread(took[way]):>30}{100 * statistics.median(shares[way]):>20.2f}")


def spread(values):
    low, middle, high = (100 * q for q in statistics.quantiles(values, n=4))
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


main()
