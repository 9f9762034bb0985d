#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which sites are probed, and what is said of them; and processes that are given by their names.
. "$(dirname "$0")/lib.sh"

work=$tmp/work.ward
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
run cc "$here/work.c" -o "$work"
check "cc: status" [ "$status" = 0 ]

# Several sites; a function that two of them name is probed once.
sites=(-f 'target!work' -f 'target!behind' -f 'target!w*')
run trace --json -o "$tmp/results" "${sites[@]}" "$work" -- "$targets/target" 100 0
check "several sites: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "several sites: each once" json '[.[] | select(.type == "attach") | .site] | sort == ["target!behind", "target!work"]'
check "several sites: counted once" json '.[-1].events == 100'
for options in --follow --later; do
	run trace --json -o "$tmp/results" $options -f 'target!nothing' -f 'target!work' "$work" -- "$targets/target" 100 0
	check "several sites, $options: status" [ "$status" = 0 ]
	mv "$tmp/results" "$tmp/out"
	check "several sites, $options: counted" json '.[-1].events == 100'
	check "several sites, $options: what there isn't" json '[.[] | select(.type == "skip") | .site] == ["target!nothing"]'
done
run trace -f 'target!nothing' -f 'target!work' "$work" -- "$targets/target" 10 0
check "one of two sites: status" [ "$status" = 0 ]
check "one of two sites: said" [ "$(cat "$tmp/err")" = "skipped target!nothing: no function matches
attached target!work (jump)" ]
refused 3 'nothing' trace -f 'target!nothing' -f 'target!none' "$work" -- "$targets/target" 10 0
# At an entry and at a return: the probe that reads no result runs at both.
run trace --json -o "$tmp/results" -f 'ends!fail_some' -f 'ends!fail_some:return' "$work" -- "$targets/ends"
mv "$tmp/results" "$tmp/out"
check "both ends: counted" json '.[-1].events == 800'
refused 2 'returns and on exceptions' trace -f 'target!work:return' -f 'target!work:throw' "$work" -- "$targets/target" 10 0

# Many sites are counted.
start_loop "$targets/target"
run trace -p "$pid" -d 0.2 -f 'libc.so.6!*' "$work"
check "many sites: status" [ "$status" = 0 ]
check "many sites: counted" grep -qE '^attached [0-9]{3,} sites, skipped [0-9]+; -v names each$' "$tmp/err"
check "many sites: not named" [ "$(lines '^attached ' "$tmp/err")" = 1 ]
check "many sites: why some are skipped" grep -qE '^skipped [0-9]+: the symbol is a part of a function' "$tmp/err"
attached=$(sed -n 's/^attached \([0-9]*\) sites.*/\1/p' "$tmp/err")
skipped=$(sed -n 's/^attached .* skipped \([0-9]*\);.*/\1/p' "$tmp/err")
check "many sites: the reasons' sum" [ "$(sed -n 's/^skipped \([0-9]*\)[: ].*/\1/p' "$tmp/err" | paste -sd+ | bc)" = "$skipped" ]
run trace -p "$pid" -d 0.2 -v -f 'libc.so.6!*' "$work"
check "-v: each is named" [ "$(lines '^attached libc' "$tmp/err")" = "$attached" ]
check "-v: each that is skipped is" [ "$(lines '^skipped libc' "$tmp/err")" = "$skipped" ]
run trace -p "$pid" -d 0.2 -q -f 'libc.so.6!*' "$work"
check "-q: status" [ "$status" = 0 ]
check "-q: nothing" [ ! -s "$tmp/err" ]
refused 3 'nothing' trace -q -p "$pid" -f 'target!nothing' "$work"

# By name: of the program's file, or what the process calls itself.
cp "$targets/target" "$tmp/lonely target"
mkfifo "$tmp/lonely"
"$tmp/lonely target" loop <"$tmp/lonely" >/dev/null &
lonely=$!
started+=("$lonely")
exec 8>"$tmp/lonely"
wait_until_runs "$lonely" "$tmp/lonely target"
run trace -p 'lonely target' -d 0.2 --json -f '*!work' "$work"
check "by name: status" [ "$status" = 0 ]
check "by name: events" json '.[-1].events > 0'
run list -p 'lonely target' '*!work'
check "by name, list" [ "$status" = 0 ]
run detach -p 'lonely target'
check "by name, detach" grep -qx "nothing of Ward's is left in process $lonely" "$tmp/out"
(
	exec 8>&- 9>&-
	exec -a 'lonely target' sleep 1000
) &
second=$!
started+=("$second")
wait_until_runs "$second" "$(command -v sleep)"
refused 3 "2 processes are called so: .*" trace -p 'lonely target' "$work"
check "two of a name: both are named" grep -qE "($lonely, $second|$second, $lonely)$" "$tmp/err"
exec 8>&-
end_loop "a target that was traced at many sites"
summary
