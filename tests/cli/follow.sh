#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ward trace --follow: the children of a program, and what these become, are traced with it.
. "$(dirname "$0")/lib.sh"

work=$tmp/work.ward
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
"$ward" cc "$here/work.c" -o "$work" || exit 1

# A shell that starts programs one after the other, in pipes and in the background: the calls of all of them are added
# up. The shell itself has no such function.
printf '%s\n' "'$targets/target' 100 0" "'$targets/target' 50 0 | cat" \
	"('$targets/target' 10 0; '$targets/target' 5 0) & wait" "exec '$targets/target' 3 0" >"$tmp/script"
run trace --follow --json -o "$tmp/results" "$work" -- sh "$tmp/script"
check "script: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "script: all calls" json '.[] | select(.field == "calls") | .value == 168'
check "script: the histogram" json '.[] | select(.field == "sizes") | [.buckets[] | .count] | add == 168'
check "script: the end" json '.[-1] | .type == "end" and .events == 168 and .dropped == 0'
check "script: each program" json '[.[] | select(.type == "process" and .sites == 1) | .events] | sort == [3, 5, 10, 50, 100]'
check "script: pids and parents" json '(map(select(.type == "process")) | map(.pid)) as $all | [.[] | select(.type == "process" and .events == 100) | .parent] | all(. as $p | $all | index($p))'
check "script: the site is told of once" json '[.[] | select(.type == "attach")] | length == 1 and .[0].site == "target!work"'
check "script: programs without sites say so" json '[.[] | select(.type == "process" and (.program | test("/cat$"))) | .sites == 0 and (.reason | test("target!work"))] == [true]'

# The same for people.
run trace --follow "$work" -- sh "$tmp/script"
check "people: status" [ "$status" = 0 ]
for line in '^calls  *168$' '^168 events in [0-9]* programs, 0 dropped$' '^ *process  *events  program$' \
	'^ *[0-9][0-9]*  *100  target$' '^ *[0-9][0-9]*  *0  cat  no probes: .*target!work'; do
	check "people: $line" grep -q "$line" "$tmp/out"
done
check "people: the site" grep -qx 'attached target!work (jump)' "$tmp/err"

# More programs than are shown one by one.
run trace --follow "$work" -- sh -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do '$targets/target' 2 0; done; exit 0"
check "many: status" [ "$status" = 0 ]
check "many: all are counted" grep -q '^calls  *48$' "$tmp/out"
check "many: the rest" grep -qE '^ *[0-9]+  +[0-9]+  more$' "$tmp/out"
check "many: of twenty lines" [ "$(grep -cE '^ *[0-9]+  +[0-9]+  (target|dash|sh|bash)' "$tmp/out")" = 20 ]

# Without --follow the first program is all there is.
run trace "$work" -f 'libc.so.6!exit' -- sh -c "'$targets/target' 7 0; exit 0"
check "without: status" [ "$status" = 0 ] && check "without: no programs" sh -c "! grep -q program '$tmp/out'"

# A live process, whose children are there when the trace is ended: they go on, and nothing is left in them.
sh -c 'while :; do sleep 0.05; done' &
pid=$!
started+=("$pid")
"$ward" trace --follow -p "$pid" --json -f 'libc.so.6!*nanosleep' "$work" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until [ "$(lines '"process"' "$tmp/out")" -ge 8 ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.05; done
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
check "live: status" [ "$status" = 0 ]
check "live: sleeps are counted" json '[.[] | select(.type == "process" and (.program | test("/sleep$"))) | .events] | add > 0'
check "live: the sum is that of the parts" json '([.[] | select(.type == "process") | .events] | add) == (.[-1] | .events)'
check "live: the shell is there" kill -0 "$pid"
check "live: nothing is left" sh -c "! grep -q memfd:ward /proc/$pid/maps"
kill "$pid" && wait "$pid" 2>/dev/null

# A tracer that is killed: the shell goes on, and is cleaned up.
sh -c 'while :; do sleep 0.02; done' &
pid=$!
started+=("$pid")
"$ward" trace --follow -p "$pid" --json -f 'libc.so.6!*fork' "$work" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until [ "$(lines '"process"' "$tmp/out")" -ge 4 ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.05; done
kill -KILL "$tracer"
wait "$tracer" 2>/dev/null
check "killed: the shell is there" kill -0 "$pid"
# Its locks may be there a moment longer than itself: until then it counts as live, and is left alone.
until run detach -p "$pid" && { [ "$status" != 0 ] || ! grep -q memfd:ward "/proc/$pid/maps"; }; do sleep 0.01; done
check "killed: detach" [ "$status" = 0 ]
check "killed: nothing is left" sh -c "! grep -q memfd:ward /proc/$pid/maps"
check "killed: the shell is there still" kill -0 "$pid"
kill "$pid" && wait "$pid" 2>/dev/null

# A tracer that was there before the process was followed ends with its results, and the follower takes all away at
# its end; the same when the process becomes another program meanwhile.
mkfifo "$tmp/in"
for becomes in : "exec '$targets/target' loop"; do
	beside="beside, ${becomes%% *}"
	# What is waited for below is in none of these files yet, also before those that write them have begun.
	: >"$tmp/said" && : >"$tmp/err" && : >"$tmp/out" && rm -f "$tmp/enough"
	sh -c "echo; while [ ! -e '$tmp/enough' ]; do sleep 0.02; done; $becomes; read x" <"$tmp/in" >"$tmp/said" &
	pid=$!
	started+=("$pid")
	exec 8>"$tmp/in"
	until [ -s "$tmp/said" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
	"$ward" trace -p "$pid" -f 'libc.so.6!*fork' "$work" >"$tmp/plain" 2>"$tmp/err" &
	plain=$!
	started+=("$plain")
	until grep -q '^attached' "$tmp/err" || ! kill -0 "$plain" 2>/dev/null; do sleep 0.01; done
	"$ward" trace --follow -p "$pid" --json -f 'libc.so.6!*fork' "$work" >"$tmp/out" 2>"$tmp/follow.err" &
	tracer=$!
	started+=("$tracer")
	until [ "$(lines '"process"' "$tmp/out")" -ge 4 ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.02; done
	if [ "$becomes" != : ]; then
		: >"$tmp/enough"
		wait_until_runs "$pid" "$targets/target"
	fi
	kill -TERM "$plain" 2>/dev/null
	status=0
	wait "$plain" || status=$?
	check "$beside: status" [ "$status" = 0 ]
	check "$beside: its results" grep -q '^calls  *[1-9]' "$tmp/plain"
	kill -TERM "$tracer"
	status=0
	wait "$tracer" || status=$?
	check "$beside: the follower's status" [ "$status" = 0 ]
	check "$beside: nothing is left" sh -c "! grep -q memfd:ward /proc/$pid/maps"
	: >"$tmp/enough"
	exec 8>&-
	wait "$pid" 2>/dev/null
done

# Without --later what a child loads after its beginning isn't probed, and said to be missing; what it has from its
# beginning is, also when it is loaded once more.
loads=$targets/../loader/target-loads plugins=$targets/../loader/target-plugins \
	library=$targets/../loader/libtarget-library.so other=$targets/../loader/libother-library.so
for env in '' "env LD_PRELOAD='$library'"; do
	printf '\n\n\n\n' >"$tmp/lines"
	run trace --follow --json -f 'libtarget-library.so!in_library' "$work" -- sh -c \
		"$env '$loads' '$library' 1 100 '$other' <'$tmp/lines'; exit \$?"
	check "a child's library${env:+, preloaded}: status" [ "$status" = 0 ]
	check "a child's library${env:+, preloaded}: it is right" grep -qx right "$tmp/out"
	grep '^{' "$tmp/out" >"$tmp/results" && mv "$tmp/results" "$tmp/out"
	check "a child's library${env:+, preloaded}: calls" json \
		".[] | select(.field == \"calls\") | .value == ${env:+100 + }0"
	check "a child's library${env:+, preloaded}: what is said" json \
		"[.[] | select(.type == \"process\" and (.program | test(\"/target-loads\$\"))) | .reason // \"\" | test(\"no module .libtarget-library.so\")] | .[-1] == $([ -n "$env" ] && echo false || echo true)"
done

# With it each program's libraries are, each time that they are loaded: in children, in theirs, and in what these
# become. The programs wait for that before they call.
echo >"$tmp/lines"
run trace --follow --later --json -f 'lib*-library.so!in_library' "$work" -- sh -c \
	"'$plugins' '$library' '$other' tree 2 1 <'$tmp/lines'; '$plugins' '$library' '$other' leaf; exit \$?"
check "later: status" [ "$status" = 0 ]
grep '^{' "$tmp/out" >"$tmp/results" && mv "$tmp/results" "$tmp/out"
check "later: calls" json '.[] | select(.field == "calls") | .value == (3 * 30 + 2 * 10 + 2 * 10 + 10)'
check "later: each program" json '[.[] | select(.type == "process" and .events > 0) | .events] | sort == [10, 10, 10, 30, 40, 40]'
check "later: each site once" json '[.[] | select(.type == "attach") | .site] | sort == ["libother-library.so!in_library", "libtarget-library.so!in_library"]'
check "later: they came later" json '[.[] | select(.type == "attach") | .later] | all'
check "later: what is waited for" json '[.[] | select(.type == "skip") | .reason] == ["no function matches yet"]'
check "later: the end" json '.[-1] | .type == "end" and .events == 140 and .dropped == 0'

# What a followed program starts to trace it is the follower's already. (Who is traced can't look for leaks, if ward
# was built for that.)
run trace --follow -f 'target!work' "$work" -- sh -c "ASAN_OPTIONS=detect_leaks=0 '$ward' trace '$work' -- '$targets/target' 7 0 2>'$tmp/inner'; echo \$? >'$tmp/said'"
check "under a follower: status" [ "$status" = 0 ]
cp "$tmp/inner" "$tmp/err" && : >"$tmp/out" && status=$(cat "$tmp/said")
check_refusal 3 'traces it already, and follows it to its children' 'ward trace, under a follower'

refused 2 "the kernel has no children" trace --kernel --follow "$work"
refused 2 "command not found" trace --follow "$work" -- /nosuch/program
run trace --help
check "help" grep -q -- '^  --follow ' "$tmp/out"

summary
