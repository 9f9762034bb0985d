#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Run a fuzz target on its seeds and on, from a scratch copy of them: run.sh PROGRAM [LIBFUZZER-OPTION...]
# Fails on a crash, a leak, more than 10 seconds for one input, or 2 GB; the input is shown then.
set -eu
program=$1
shift
seeds=$(dirname "$0")/seeds/${program##*-}
[ -n "$(ls "$seeds")" ] || { echo "ward: fuzz: no seeds in $seeds" >&2; exit 2; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/corpus"
status=0
"$program" "$tmp/corpus" "$seeds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1 \
	-artifact_prefix="$tmp/" "$@" >"$tmp/log" 2>&1 || status=$?
for input in "$tmp"/crash-* "$tmp"/leak-* "$tmp"/timeout-* "$tmp"/oom-* "$tmp"/slow-unit-*; do
	[ -e "$input" ] || continue
	echo "$(basename "$input"), base64:"
	base64 -w 160 "$input"
done
if [ "$status" != 0 ]; then
	cat "$tmp/log"
	exit "$status"
fi
awk '/INITED|DONE/ || /^Done/ || /^stat::/' "$tmp/log"
