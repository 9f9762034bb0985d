#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a tracer that was killed has left is found and taken off; what a live one has there is left alone.
. "$(dirname "$0")/lib.sh"

json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
ours() { grep -c 'memfd:ward-' "/proc/$pid/maps"; }
start_tracer() { # site
	: >"$tmp/trace.err"
	"$ward" trace -p "$pid" -f "$1" "$tmp/work.ward" >"$tmp/trace.out" 2>"$tmp/trace.err" &
	tracer=$!
	started+=("$tracer")
	until grep -q '^attached ' "$tmp/trace.err" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
}
kill_tracer() {
	kill -KILL "$tracer"
	wait "$tracer" 2>/dev/null
}

run cc "$here/work.c" -o "$tmp/work.ward"
start_loop "$targets/target"
run detach -p "$pid"
check "nothing: status" [ "$status" = 0 ]
check "nothing: said" grep -qx "nothing of Ward's is left in process $pid" "$tmp/out"
run detach -p "$pid" --json
check "nothing --json: no object" [ "$status" = 0 -a ! -s "$tmp/out" ]

start_tracer 'target!work'
run detach -p "$pid"
check "live: status" [ "$status" = 0 ]
check "live: a table" grep -qE '^TRACER +STATE +PATCHES +RESTORED +MEMORY$' "$tmp/out"
check "live: left alone" grep -qE "^$tracer +live +1 +0 +left alone$" "$tmp/out"
kill_tracer
wait_for_rounds "$pid"
check "gone: its memory is there" [ "$(ours)" -gt 0 ]
# A thread may be in a stub at the very moment: then the command says so, and is to be repeated.
until
	run detach -p "$pid"
	[ "$status" != 3 ] || ! grep -q 'a thread may be in its code still' "$tmp/err"
do sleep 0.01; done
check "gone: status" [ "$status" = 0 ]
check "gone: said" grep -qE "^$tracer +gone +[01] +[01] +[0-9]+ KiB freed$" "$tmp/out"
check "gone: nothing is left" [ "$(ours)" = 0 ]

# Two, of which the upper one lives: the lower one stays until that has ended, which takes it along.
start_tracer 'target!work'
first=$tracer
kill_tracer
start_tracer 'target!work'
run detach -p "$pid" --json
check "below a live one: status" [ "$status" = 3 ]
check "below a live one: said" grep -q "^ward: process $pid: another tracer's probe was put over it" "$tmp/err"
check "below a live one: a hint" grep -q '^hint: ' "$tmp/err"
check "below a live one: the objects" json "map({(.state): [.tracer, .patches, .restored, .freed]}) | add == {\"live\": [$tracer, 1, 0, false], \"gone\": [$first, 1, 0, false]}"
wait_for_rounds "$pid"
kill -TERM "$tracer"
wait "$tracer"
check "the live one: results" grep -qE '^[0-9]+ events in 1 thread, 0 dropped$' "$tmp/trace.out"
until
	run detach -p "$pid"
	[ "$status" != 3 ]
do sleep 0.01; done
check "both: nothing is left" [ "$(ours)" = 0 ]

# A live one's on demand.
start_tracer 'target!work'
run detach -p "$pid" --live
check "--live: status" [ "$status" = 0 ]
check "--live: taken off" grep -qE "^$tracer +live +1 +1 +its tracer's to free$" "$tmp/out"
kill -TERM "$tracer"
result=0
wait "$tracer" || result=$?
check "--live: the tracer ends as ever" [ "$result" = 0 ]
until
	run detach -p "$pid"
	[ "$status" != 3 ]
do sleep 0.01; done
check "--live: nothing is left" [ "$(ours)" = 0 ]
end_loop "a target that tracers died on"

refused 3 'no such process' detach -p 2147483647
summary
