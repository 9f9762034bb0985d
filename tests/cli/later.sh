#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ward trace --later: libraries that a program loads while it is traced are probed, too.
. "$(dirname "$0")/lib.sh"

work=$tmp/work.ward
loads=$targets/../loader/target-loads library=$targets/../loader/libtarget-library.so \
	other=$targets/../loader/libother-library.so
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
"$ward" cc "$here/work.c" -o "$work" || exit 1

# Write a line to the command when the tracer's output has N matches of the pattern, or the tracer has ended.
next_when() { # pattern, file, times
	until [ "$(lines "$1" "$2")" -ge "$3" ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.02; done
	echo >&8
}
end_tracer() {
	exec 8>&-
	status=0
	wait "$tracer" || status=$?
}

# A command that waits for a line before it loads each of its libraries, and before it calls them: each comes when it
# has been said that the one before is probed.
mkfifo "$tmp/in"
"$ward" trace --later -f 'lib*-library.so!in_library' "$work" -- "$loads" "$library" 1 100 "$other" <"$tmp/in" \
	>"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
exec 8>"$tmp/in"
next_when '^ready$' "$tmp/out" 1
next_when '^attached libtarget-library.so!in_library (jump; loaded later)$' "$tmp/err" 1
next_when '^attached libother-library.so!in_library (jump; loaded later)$' "$tmp/err" 1
next_when '^ready$' "$tmp/out" 4
end_tracer
check "command: status" [ "$status" = 0 ]
check "command: what is waited for" grep -qx 'skipped lib\*-library.so!in_library: no function matches yet' "$tmp/err"
check "command: both" [ "$(lines '; loaded later)$' "$tmp/err")" = 2 ]
check "command: it is right" grep -qx right "$tmp/out"
check "command: all calls" grep -q '^calls  *200$' "$tmp/out"

# A process that is there, for programs. It is traced no more when it is killed, and what was counted counts.
"$loads" "$library" 1 100 "$other" <"$tmp/in" >"$tmp/said" &
pid=$!
started+=("$pid")
exec 8>"$tmp/in"
wait_until_runs "$pid" "$loads"
"$ward" trace --later --json -p "$pid" -f 'libtarget-library.so!in_library' "$work" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
next_when '"skip"' "$tmp/out" 1
next_when '"attach"' "$tmp/out" 1
next_when '"attach"' "$tmp/out" 1
until [ "$(lines '^ready$' "$tmp/said")" -ge 4 ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
end_tracer
check "process: status" [ "$status" = 137 ]
check "process: attached later" json '[.[] | select(.type == "attach")] | length == 1 and .[0].later and .[0].site == "libtarget-library.so!in_library"'
check "process: all calls" json '.[] | select(.field == "calls") | .value == 100'
check "process: the end" json '.[-1] | .type == "end" and .events == 100 and .dropped == 0'

# Without the option that is an error, as is what doesn't go with it.
"$loads" "$library" 1 100 "$other" <"$tmp/in" >"$tmp/said" &
pid=$!
started+=("$pid")
exec 8>"$tmp/in"
wait_until_runs "$pid" "$loads"
refused 3 "libtarget-library.so" trace -p "$pid" -f 'libtarget-library.so!in_library' "$work"
exec 8>&-
refused 2 "needs -p PID or -- COMMAND" trace --later --kernel "$work"
refused 2 "command not found" trace --later "$work" -- /nosuch/program
run trace --help
check "help" grep -q -- '^  --later ' "$tmp/out"

summary
