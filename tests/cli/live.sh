#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ward trace --live: a view on the terminal, which is given back however the trace ends.
. "$(dirname "$0")/lib.sh"
export TERM=xterm
ulimit -c 0

take=$'\033[?1049h' give=$'\033[?1049l'
count() { grep -oaF -- "$1" "$2" | wc -l; } # TEXT FILE
has() { grep -qaF -- "$1" "$tmp/view"; }
clean() { ! grep -qaF -- "$1" "$tmp/view"; }
# What came after the terminal was given back.
after() { sed -z "s/.*\\[?1049l//" "$tmp/view"; }

work=$tmp/work.ward
run cc "$here/work.c" -o "$work"
check "cc" [ "$status" = 0 ]
refused 2 'standard error is not a terminal' trace --live "$work" -- "$targets/target" 5 0
TERM=dumb refused 2 'standard error is not a terminal' trace --live "$work" -- "$targets/target" 5 0
refused 2 'either --live, for people, or --json' trace --live --json "$work" -- "$targets/target" 5 0

start_loop "$targets/target"
target=$pid

# To its end, with the results behind it.
script -qec "'$ward' trace --live -d 2 -p $target '$work'" /dev/null >"$tmp/view" </dev/null
check "a view: taken once" [ "$(count "$take" "$tmp/view")" = 1 ]
check "a view: given back once" [ "$(count "$give" "$tmp/view")" = 1 ]
check "a view: the cursor, too" [ "$(count $'\033[?25h' "$tmp/view")" = 1 ]
check "a view: whose it is" has "process $target  0 s of 2 s"
check "a view: the fields" has $'\033[1msizes'
check "a view: results behind it" grep -qa 'events in 1 thread, 0 dropped' <(after)
check "a view: nothing of it behind it" [ "$(after | grep -caF 'Ctrl-C')" = 0 ]
script -qec "NO_COLOR=1 '$ward' trace --live -d 0.1 -p $target '$work'" /dev/null >"$tmp/view" </dev/null
check "NO_COLOR: the fields" has sizes
check "NO_COLOR: no colours" clean $'\033[1m'
script -qec "stty rows 4; '$ward' trace --live -d 0.1 -p $target '$work'" /dev/null >"$tmp/view" </dev/null
frame=$(sed -z -e 's/.*\[H//' -e 's/\[J.*//' "$tmp/view")
check "a small terminal: as many lines as it has" [ "$(grep -c . <<<"$frame")" = 4 ]
script -qec "'$ward' trace --live '$work' -- '$targets/target' 5 0 >/dev/null" /dev/null >"$tmp/view" </dev/null
check "a command: its name" has "$targets/target  0 s"
check "a command: given back" [ "$(count "$give" "$tmp/view")" = 1 ]

# By a signal, when the view is there; what is started in the background has those of the keyboard ignored. Ctrl-\ is
# the one that leaves the probes behind.
for signal in INT TERM HUP QUIT; do
	: >"$tmp/view"
	env --default-signal=INT,QUIT script -qefc "echo \$\$ >'$tmp/pid'; exec '$ward' trace --live -p $target '$work'" /dev/null >"$tmp/view" </dev/null &
	started+=("$!")
	until [ "$(count $'\033[H' "$tmp/view")" -ge 2 ] && has 'Ctrl-C ends'; do
		kill -0 "$!" 2>/dev/null || break
		sleep 0.05
	done
	kill -"$signal" "$(cat "$tmp/pid")"
	wait "$!"
	check "SIG$signal: given back" [ "$(count "$give" "$tmp/view")" = 1 ]
	check "SIG$signal: rate and drops" grep -qaE '[0-9]+ events in 1 thread, [0-9]+ a second, 0 dropped; Ctrl-C ends' "$tmp/view"
	check "SIG$signal: last of all" [ "$(after | grep -caF "$take")" = 0 ]
	[ "$signal" = QUIT ] || check "SIG$signal: results" grep -qa 'events in 1 thread, 0 dropped' <(after)
done
run detach -p "$target"
check "SIGQUIT: what is left can be taken off" [ "$status" = 0 ]
end_loop "the target"
summary
