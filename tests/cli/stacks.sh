#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stacks of a program without frame pointers: each is the list of its functions, as a key of maps.
. "$(dirname "$0")/lib.sh"

program=$targets/stacks/program
"$ward" cc "$here/stacks/marked.probe.c" -o "$tmp/marked.ward" || exit 1
begins='program!_start;libc[.]so[.]6![^;]*;libc[.]so[.]6![^;]*;program!main'
ends='program!middle;program!inner;program!marked'
# How often each stack is in a map of the last run with --json; functions without their offsets.
stacks() { # map, how often, extended regular expression of the stack: is it there?
	jq -r -s --arg map "$1" '
		(map(select(.type == "address") | {key: (.value | tostring), value: .name}) | from_entries) as $names |
		.[] | select(.type == "field" and .field == $map) | .entries[] |
		"\(.value) \($names[(.key.stack? // .key) | tostring]) \(.key.at_return? // "")"' "$tmp/out" |
		sed 's/+0x[0-9a-f]*//g; s/ $//' | grep -Eqx -- "$2 $3"
}
fields() {
	jq -e -s "map(select(.type == \"field\") | {key: .field, value: .}) | from_entries | $1" "$tmp/out" >/dev/null
}

run trace --json "$tmp/marked.ward" -- "$program" 1000
check 'status' [ "$status" = 0 ]
check 'each call has a stack' fields '.calls.value == 8000 and .none.value == 0'
check 'there are no others' fields '(.by_stack.entries | length) == 4 and .by_stack.lost == 0'
check 'of main' stacks by_stack 1000 "$begins;program!outer;$ends"
check 'of a thread' stacks by_stack 1000 \
	"libc[.]so[.]6![^;]*;libc[.]so[.]6![^;]*;program!thread_main;program!outer;$ends"
check 'of a signal handler' stacks by_stack 1000 \
	"$begins;(libc[.]so[.]6[^;]*;)+program!on_signal;program!outer;$ends"
check 'through code without tables' stacks by_stack 1000 "$begins;program!made;$ends"
check 'at a return it is as at the entry' stacks by_place 1000 "$begins;program!outer;$ends 1"
check 'as many places' fields '(.by_place.entries | length) == 8'
check 'one that is cut says so' stacks by_two 4000 '\[more\];program!inner;program!marked'

run trace --follow --json "$tmp/marked.ward" -- "$program" 500
check 'followed: status' [ "$status" = 0 ]
check 'followed: each call has a stack' fields '.calls.value == 5000 and .none.value == 0'
check 'followed: of main' stacks by_stack 500 "$begins;program!outer;$ends"
check 'followed: of the child' stacks by_stack 500 "$begins;$ends"

# More than there is room for: they are counted, and those that are there stay right.
run trace --json "$tmp/marked.ward" -- "$program" 17 paths
check 'full: status' [ "$status" = 0 ]
check 'full: each call is counted' fields '.calls.value == 2 * 131072'
check 'full: what is lost is said' jq -e -s '(map(select(.type == "end"))[0].lost_stacks) as $lost |
	$lost > 1000 and $lost < 262144' "$tmp/out"
check 'full: the others are there' fields '.none.value > 1000 and .none.value < 262144'
run trace "$tmp/marked.ward" -- "$program" 17 paths
check 'full, as text' grep -q '^too many different stacks: [0-9]* could not be kept' "$tmp/out"

# Functions that are inlined have no frame of their own, and are named all the same.
inlined() { # folder, the chain between work and marked
	run trace --json "$tmp/marked.ward" -- "$targets/stacks/$1/program" 100
	check "inlined, $1: status" [ "$status" = 0 ]
	check "inlined, $1: the chain" stacks by_stack 100 "program!_start.*;program!work;$2;program!marked"
}
parse='program!parse [(]inlined[)]' next='program!next [(]inlined[)]'
inlined c "$parse;$next"
inlined c/stripped "$parse;$next"
parse='program!shop::[(]anonymous namespace[)]::parse[^;]* [(]inlined[)]'
next='program!shop::box::next[(]long[)] const [(]inlined[)]'
inlined cc "$parse;$next"
inlined cc/stripped "$parse;$next"
inlined rs 'program!program::shop::parse [(]inlined[)];program!program::shop::Box::next [(]inlined[)]'

# In files for viewers they are marked as these have it.
run trace -q --export "folded:$tmp/folded" --export "pprof:$tmp/pprof" --export "firefox:$tmp/firefox" \
	--export "flame:$tmp/flame.html" "$tmp/marked.ward" -- "$targets/stacks/c/program" 100
check 'exported: status' [ "$status" = 0 ]
check 'exported: folded' grep -Eq \
	'^by_stack;.*;program!work;program!parse_\[i\];program!next_\[i\];program!marked 100$' \
	"$tmp/folded"
check 'exported: pprof has lines of one location' grep -Eqx ' +[0-9]+: 0x0 (M=[0-9]+ )?program!next :0(:0)? s=0' \
	<(go tool pprof -raw "$tmp/pprof")
check 'exported: pprof, its caller' grep -Eqx ' +program!parse :0(:0)? s=0' <(go tool pprof -raw "$tmp/pprof")
check 'exported: firefox' jq -e '.threads[-1].frameTable.inlineDepth | index(1)' "$tmp/firefox"
check 'exported: flame' grep -q '"program!next (inlined)"' "$tmp/flame.html"

run trace "$tmp/marked.ward" -- "$program" 10
check 'as text: status' [ "$status" = 0 ]
# One frame below the other, in the last column.
block() { # the map, its first line
	awk -v map="$1" -v first="$2" '$0 == map { on = 1 } on && $0 ~ first { frames = ""; reading = 1 }
		reading { frames = frames " " $NF; if (++n == 5) { print frames; exit } }' "$tmp/out"
}
wanted='^ program!marked program!inner\+0x[0-9a-f]+ program!middle\+0x[0-9a-f]+ program!outer\+0x[0-9a-f]+ '
check 'as text: a row of numbers and frames' grep -Eq "${wanted}program!main\\+0x[0-9a-f]+\$" \
	<(block by_place '^ +0 +10  program!marked$')
check 'as text: the head' grep -Eq '^  at_return  value  stack$' "$tmp/out"
check 'as text: nothing is cut' [ "$(grep -c '\.\.\.' "$tmp/out")" = 0 ]
check 'as text: an end that is missing is said' grep -Eq '^ +\[more\]$' "$tmp/out"
summary
