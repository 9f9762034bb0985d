#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/run.sh BUILD: all benchmarks, one table each.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
"$1/bin/ward-bench-events" "$1/bench/events" "$top/bench/probes"
echo
"$1/bin/ward-bench-query" "$1/bench/events" "$top/bench/query/hand"
echo
"$1/bin/ward-bench-live" "$1/bin/ward"
echo
"$1/bin/ward-bench-state" "$top/bench/state/probe.c"
echo
"$1/bin/ward-bench-stacks" "$1/bench/stacks/ward-bench-stacks-target" "$top/bench/stacks"
echo
"$top/bench/samples/main.py" "$1"
echo
"$1/bin/ward-bench-guards" "$top/bench/guards" "$top/probes/include"
echo
"$1/bin/ward-bench-compile" "$1/bin/ward" "$top/probes/include" "$top/probes" "$top/bench/guards/kernels" \
	"$top/tests/dialect/kept" --refused "$top/bench/compile/refused"
echo
"$1/bin/ward-bench-verify" "$top/probes" "$top/tests/compilers" "$top/spec"
echo
for fleet in "100 4 150 10" "1000 8 150 10" "10000 8 20 14" "10000 8 150 14" "1000 1000 150 14"; do
	"$1/bin/ward-bench-cluster" "$1/bin" "$1/bench/cluster/keys.ward" $fleet
done
"$top/bench/cluster/agent.py" "$1"
"$1/bin/ward-bench-cluster" --storm "$1/bin" "$1/bench/cluster/keys.ward" 1000 1000 150 60
echo
exec "$top/bench/shares.sh" "$1"
