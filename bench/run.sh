#!/bin/sh
# bench/run.sh BUILD: all benchmarks, one table each.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
exec "$1/bin/ward-bench" "$top/bench/probes" "$top/probes"
