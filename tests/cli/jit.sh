#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Code that a process makes while it runs is named by the list that it writes for profilers, if that can be believed.
. "$(dirname "$0")/lib.sh"

cd "$tmp" || exit 1 # node leaves a log
"$ward" cc "$here/named/callers.probe.c" -o "$tmp/callers.ward" || exit 1
mkfifo "$tmp/in"
# The value of a row; 0 if there is none.
row() { awk -v key="$1" '$0 ~ "^  " key "  +[0-9]+$" {n += $NF} END {print n + 0}' "$tmp/out"; }
one='jit!LazyCompile:[*]one /x y[.]js:1:2[+]0x10' two='jit!t[?]w[?]o[+]0x10'

# The program waits before it ends until Ward has opened its list; or, if it mustn't, until it must have seen it.
trace() { # what to wait for, ward's arguments -- command
	local await=$1 tracer
	shift
	"$ward" trace -o "$tmp/out" "$@" <"$tmp/in" 2>"$tmp/err" &
	tracer=$!
	started+=("$tracer")
	exec 8>"$tmp/in"
	until "$await" "$tracer" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
	exec 8>&-
	status=0
	wait "$tracer" || status=$?
}
has_list() { find /proc/"$1"/fd -lname '*/perf-*.map' 2>/dev/null | grep -q .; }
# The polls of a few looks: Ward polls each millisecond, and looks ever more seldom.
polls() { cat /proc/"$1"/task/*/status 2>/dev/null | awk '/^voluntary_ctxt_switches/ {n += $2} END {print n + 0}'; }
has_looked() { [ "$(polls "$1")" -gt 500 ]; }

for kind in plain rubbish; do
	trace has_list "$tmp/callers.ward" -- "$targets/named/jit" "$kind" wait
	check "$kind: status" [ "$status" = 0 ]
	check "$kind: the newest line" [ "$(row "$one")" = 300 ]
	check "$kind: nothing for a terminal in it" [ "$(row "$two")" = 50 ]
done
kinds=(link fifo)
[ "$(id -u)" = 0 ] && kinds+=(other)
for kind in "${kinds[@]}"; do
	trace has_looked "$tmp/callers.ward" -- "$targets/named/jit" "$kind" wait
	check "$kind: status" [ "$status" = 0 ]
	check "$kind: no name" [ "$(lines 'jit!' "$tmp/out")" = 0 ]
	check "$kind: the addresses" [ "$(row '0x[0-9a-f]+')" -ge 350 ]
done
# In a container it is the process's own number, and its own /tmp.
if unshare -mpf true 2>/dev/null; then
	trace has_list --follow "$tmp/callers.ward" -- unshare -mpf sh -c \
		"mount -t tmpfs none /tmp && exec '$targets/named/jit' plain wait"
	check "in a container: status" [ "$status" = 0 ]
	check "in a container: the names" [ "$(row "$one")" = 300 ]
fi

# Node: what it compiles calls C functions of its own, such as that for sines.
node=$(command -v node)
if [ -n "$node" ]; then
	cat >"$tmp/sines.js" <<'JS'
function sumOfSines(n) {
	let sum = 0;
	for (let i = 0; i < n; i++)
		sum += Math.sin(i);
	return sum;
}
let sum = 0;
for (let k = 0; k < 2000; k++)
	sum += sumOfSines(1000);
require("fs").readFileSync(0);
if (isNaN(sum))
	throw sum;
JS
	trace has_list -f 'node!v8::base::ieee754::sin' "$tmp/callers.ward" -- "$node" --perf-basic-prof "$tmp/sines.js"
	check "node: status" [ "$status" = 0 ]
	# When node compiles it is a thread of its own to decide, which may have to wait for a processor.
	check "node: the function's name" [ "$(row 'jit!.*sumOfSines .*sines.js:1.*')" -gt 1000 ]
	check "node: nothing is without a name" [ "$(row '0x[0-9a-f]+')" = 0 ]
	find /tmp -maxdepth 1 -name 'perf-*.map' -exec grep -l "$tmp/sines.js" {} + | while read -r list; do rm "$list"; done
fi

summary
