#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tracers that take stacks, and call trees, come to a busy program and go: in order, or killed at any moment. The
# program computes what it always does. WARD_PROGRAM_TIMES is how many times as many as usual; WARD_STRESS_SEED draws
# others.
. "$(dirname "$0")/lib.sh"

times=${WARD_PROGRAM_TIMES:-1}
RANDOM=${WARD_STRESS_SEED:-1}
program=$targets/stacks/busy
sed 's/program!marked/busy!marked/' "$here/stacks/marked.probe.c" >"$tmp/one.c"
sed 's/program!marked/busy!m*/' "$here/stacks/marked.probe.c" >"$tmp/many.c"
"$ward" cc "$tmp/one.c" -o "$tmp/marked.ward" && "$ward" cc "$tmp/many.c" -o "$tmp/many.ward" || exit 1

"$program" 3 >"$tmp/answer" 2>&1 </dev/null &
busy=$!
started+=("$busy")
until grep -q ready "$tmp/answer"; do sleep 0.01; done
bad=0 killed=0 ended=0 shell=$(readlink /proc/$$/exe)
nap() { sleep "0.$(printf %03d $((RANDOM % $1)))"; }
for ((i = 0; i < 12 * times; i++)); do
	case $((RANDOM % 3)) in
	0) "$ward" trace -p "$busy" --json "$tmp/marked.ward" >"$tmp/out" 2>"$tmp/err" </dev/null & ;;
	1) "$ward" trace -p "$busy" --json "$tmp/many.ward" >"$tmp/out" 2>"$tmp/err" </dev/null & ;;
	2) "$ward" graph -p "$busy" --json >"$tmp/out" 2>"$tmp/err" </dev/null & ;;
	esac
	tracer=$!
	started+=("$tracer")
	# Before that the signal would be bash's, which would clean up as at the end of this script.
	while [ "$(readlink "/proc/$tracer/exe")" = "$shell" ]; do sleep 0.01; done
	nap 400
	if [ $((RANDOM % 3)) = 0 ]; then
		kill -KILL "$tracer"
		wait "$tracer" 2>/dev/null
		killed=$((killed + 1))
	else
		kill -TERM "$tracer"
		wait "$tracer"
		status=$?
		# 143: the signal came before it did anything at all
		[ $status = 0 ] || { [ $status = 143 ] && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]; } ||
			{ bad=$((bad + 1)) && cat "$tmp/err"; }
		ended=$((ended + 1))
	fi
	kill -0 "$busy" 2>/dev/null || break
	[ $((RANDOM % 4)) = 0 ] && "$ward" detach -p "$busy" >/dev/null 2>&1
done
check "tracers: $ended ended, $killed were killed" [ $((ended + killed)) = $((12 * times)) ]
check 'each that ended did so in order' [ $bad = 0 ]
check 'the program is alive' kill -0 "$busy"
for ((i = 0; i < 200; i++)); do
	"$ward" detach -p "$busy" >"$tmp/out" 2>"$tmp/err" && break
	sleep 0.05
done
check 'nothing is left of the tracers' [ "$(grep -c ward "/proc/$busy/maps")" = 0 ]
kill -USR2 "$busy"
wait "$busy"
check 'the program ends' [ $? = 0 ]
check 'what it computed is right' grep -q '^right$' "$tmp/answer"
summary
