#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How traces end: by what the target does, by who reads the results, by signals; and which exit status says so.
. "$(dirname "$0")/lib.sh"

work=$tmp/work.ward
run cc "$here/work.c" -o "$work"
check "cc: status" [ "$status" = 0 ]

# The exit status is the command's.
run trace "$work" -- "$targets/target" 10 7
check "a command that fails: status" [ "$status" = 7 ]
check "a command that fails: said" grep -q 'target exited with status 7$' "$tmp/err"
check "a command that fails: results" grep -qx '10 events in 1 thread, 0 dropped' "$tmp/out"
run trace --follow "$work" -- "$targets/target" 10 7
check "a command that fails, followed: status" [ "$status" = 7 ]
run trace -f 'libc.so.6!kill' "$work" -- bash -c 'kill -ABRT $$'
check "a command that crashes: said" grep -q 'bash was ended by signal 6 (Aborted)$' "$tmp/err"
check "a command that crashes: results" grep -qx '1 event.* in 1 thread, 0 dropped' "$tmp/out"
check "a command that crashes: the same signal ends ward" [ "$status" = 134 ]
check "a command that crashes: it is a signal" python3 -c 'import subprocess, sys
sys.exit(subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode != -6)' \
	"$ward" trace -f 'libc.so.6!kill' "$work" -- bash -c 'kill -ABRT $$'
# What goes wrong with the trace itself comes first.
run trace -o /dev/full "$work" -- "$targets/target" 10 7
check "results that can't be written: status" [ "$status" = 2 ]

# A command has the signals as ward had them, and not as ward has them.
# Without the two that the C library keeps for itself (32 and 33), which some shells' parents have ignored.
signals() { printf '%x' $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' "$tmp/out") & ~0x180000000)); }
for how in default ignore; do
	env "--$how-signal=INT" "--$how-signal=PIPE" grep SigIgn /proc/self/status >"$tmp/out"
	expected=$(signals)
	env "--$how-signal=INT" "--$how-signal=PIPE" "$ward" trace -f 'libc.so.6!read' "$work" -- grep SigIgn \
		/proc/self/status >"$tmp/out" 2>"$tmp/err"
	check "a command's signals ($how)" [ "$(signals)" = "$expected" ]
done

# A process that dies while it is traced.
dies() { # what to do with it ($pid), options
	local how=$1
	shift
	start_loop "$targets/target"
	: >"$tmp/out"
	"$ward" trace -p "$pid" --json "$@" "$work" >"$tmp/out" 2>"$tmp/err" 9>&- &
	local tracer=$!
	started+=("$tracer")
	until grep -q '"attach"' "$tmp/out" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
	wait_for_rounds "$pid"
	eval "$how"
	wait "$pid" 2>/dev/null
	status=0
	wait "$tracer" || status=$?
	exec 9>&-
}
for options in '' --follow; do
	dies 'kill -SEGV $pid' $options
	check "-p $options, a crash: said" grep -qx "process $pid was ended by signal 11 (Segmentation fault)" \
		"$tmp/err"
	check "-p $options, a crash: status" [ "$status" = 139 ]
	check "-p $options, a crash: results" [ "$(tail -n 1 "$tmp/out" | jq -r .type)" = end ]
	dies 'exec 9>&-' $options
	check "-p $options, its own end: status" [ "$status" = 0 ]
	check "-p $options, its own end: nothing is said" [ ! -s "$tmp/err" ]
done

# The reader of the results goes away, though nothing is written: the trace ends, and the target goes on.
start_loop "$targets/target"
env --default-signal=PIPE "$ward" trace -p "$pid" --json "$work" 2>"$tmp/err" | head -1 >"$tmp/out"
status=("${PIPESTATUS[@]}")
check "a reader that goes: it had its line" grep -q '"type":"attach"' "$tmp/out"
check "a reader that goes: as SIGPIPE" [ "${status[0]}" = 141 ]
check "a reader that goes: nothing is said" [ ! -s "$tmp/err" ]
env --ignore-signal=PIPE "$ward" trace -p "$pid" --json "$work" 2>"$tmp/err" | head -1 >"$tmp/out"
check "a reader that goes, SIGPIPE ignored: status" [ "${PIPESTATUS[0]}" = 2 ]
check "a reader that goes, SIGPIPE ignored: said" grep -q "^ward: standard output: the results can't be written$" \
	"$tmp/err"

# A job in the background, which a shell starts with SIGINT ignored.
: >"$tmp/out"
env --ignore-signal=INT "$ward" trace -p "$pid" --json "$work" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until grep -q '"attach"' "$tmp/out" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
wait_for_rounds "$pid"
kill -INT "$tracer"
status=0
wait "$tracer" || status=$?
check "SIGINT in the background: status" [ "$status" = 0 ]
check "SIGINT in the background: results" [ "$(tail -n 1 "$tmp/out" | jq -r .type)" = end ]
end_loop "a target that was traced until the reader went"

# SIGINT that doesn't come from the terminal is passed on to the command.
: >"$tmp/out"
mkfifo "$tmp/input"
env --default-signal=INT "$ward" trace --json "$work" -- "$targets/target" loop <"$tmp/input" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
exec 8>"$tmp/input"
until child=$(ps -o pid= --ppid "$tracer" | tr -d ' ') && [ -n "$child" ] &&
	[ "$(readlink "/proc/$child/exe")" = "$(readlink -f "$targets/target")" ] ||
	! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
wait_for_rounds "$child"
kill -INT "$tracer"
status=0
wait "$tracer" || status=$?
exec 8>&-
check "SIGINT -- command: the command has it" [ "$status" = 130 ]

# A program without a C library has no thread pointer: that is said.
mkfifo "$tmp/bare.in"
"$targets/bare" <"$tmp/bare.in" &
pid=$!
started+=("$pid")
exec 8>"$tmp/bare.in"
wait_until_runs "$pid" "$targets/bare"
refused 3 'its thread has no thread pointer' trace -p "$pid" -f 'bare!work' "$work"
exec 8>&-
wait "$pid"
check "a program without a C library: it goes on" [ $? = 0 ]
run trace -f 'bare!work' "$work" -- "$targets/bare"
check "a command without a C library: status" [ "$status" = 3 ]
check "a command without a C library: said" grep -q "^ward: .*bare: the program ran to its end without a thread pointer" "$tmp/err"
summary
