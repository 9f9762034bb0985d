#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stacks of programs that are linked in other ways, and in places that are not of the usual kind.
. "$(dirname "$0")/lib.sh"

# The stacks of a map, by how often they are there; functions without their offsets, and without their program.
stacks() {
	jq -r -s '(map(select(.type == "address") | {key: (.value | tostring), value: .name}) | from_entries) as $names |
		.[] | select(.type == "field" and .field == "by_stack") | .entries[] |
		"\(.value) \($names[(.key.stack? // .key) | tostring])"' "$tmp/out" | sed 's/+0x[0-9a-f]*//g'
}
field() { jq -r "select(.type == \"field\" and .field == \"$1\") | .value" "$tmp/out"; }
sum_of() { # extended regular expression of stacks: how often are they there?
	stacks | grep -E -- "^[0-9]+ ($1)\$" | awk '{n += $1} END {print n + 0}'
}

# ---- how the program is linked ----

"$ward" cc "$here/stacks/marked.probe.c" -o "$tmp/marked.ward" || exit 1
chain='program!middle;program!inner;program!marked'
linked() { # what, folder, what a stack begins with
	run trace --json "$tmp/marked.ward" -- "$targets/stacks/$2/program" 100
	check "$1: status" [ "$status" = 0 ]
	check "$1: each call has a stack" [ "$(field calls)" = 800 ] && check "$1: all of them" [ "$(field none)" = 0 ]
	check "$1: of main" [ "$(sum_of "$3;program!main;program!outer;$chain")" = 100 ]
	check "$1: of a thread" [ "$(sum_of "[^ ]*;program!thread_main;program!outer;$chain")" = 100 ]
	check "$1: through code without tables" [ "$(sum_of "$3;program!main;program!made;$chain")" = 100 ]
	check "$1: of a signal handler" [ "$(sum_of "[^ ]*;program!on_signal;program!outer;$chain")" = 100 ]
}
whole='program!_start;[^ []*'
linked '.debug_frame in a separate file' debug "$whole"
handled="$whole;program!main;[^ ]*;program!on_signal;program!outer;$chain"
check '.debug_frame: the handler, to the end' [ "$(sum_of "$handled")" = 100 ]
linked 'static' static "$whole"
linked 'static-pie' static-pie "$whole"
check 'static-pie: the handler, to the end' [ "$(sum_of "$handled")" = 100 ]
if [ -x "$targets/stacks/musl/program" ]; then
	# musl has no tables, so what is below main isn't found, and that is said. Its signals' frames are known.
	linked 'musl' musl '\[lost\][^ ]*'
	linked 'static, musl' musl-static '\[lost\][^ ]*'
	check 'musl: what is not whole says so' [ "$(sum_of '\[lost\];[^ ]*')" = 400 ]
fi

# ---- where it is ----

"$ward" cc "$here/stacks/places.probe.c" -o "$tmp/places.ward" || exit 1
place=$targets/stacks/places
begins='places!_start;libc[.]so[.]6[^;]*;libc[.]so[.]6[^;]*;places!main'
placed() { # what, how often, more arguments: each call has a stack
	run trace --json "$tmp/places.ward" -- "$place" "$@"
	check "$1: status" [ "$status" = 0 ]
	check "$1: each call" [ "$(field calls)" -ge "$2" ]
	check "$1: each has a stack" [ "$(field none)" = 0 ]
}
placed vdso 300
check 'vdso: all to the end' [ "$(sum_of "$begins;[^ ]*;places!on_time;places!marked")" = "$(field calls)" ]
through="$begins;places!reads_time;[^;]*clock_gettime;[^;]*;[^;]*;places!on_time;places!marked"
check 'vdso: some through it' [ "$(sum_of "$through")" -gt 0 ]
named="$begins;places!reads_time;[^;]*clock_gettime;\[vdso\]![^;]*;[^;]*;places!on_time;places!marked"
check 'vdso: its functions have names' [ "$(sum_of "$named")" -gt 0 ]
placed alternate 300
check 'alternate: all to the end' [ "$(sum_of "$begins;places!raises;[^ ]*;places!on_signal;places!marked")" = 300 ]
placed overflow 100
check 'overflow: of the handler' [ "$(sum_of '\[more\](;places!dig)+;[^ ]*places!on_overflow;places!marked')" = 100 ]
check 'overflow: of what fills the stack' [ "$(field dug)" -gt 10000 ]
# Fewer calls than the matter deserves: tests/loader/test_walk.c has more.
placed unmapped 100000
check 'unmapped: what is not found says so' [ "$(sum_of '\[lost\];places!made;places!marked')" = 100000 ]

# Of two libraries, one after the other at the same place. Before their tables are there a stack may end early, and then
# it says so.
unseen=
in_turn() { # what, the libraries, and what is run between them
	(
		sleep 3
		[ -z "$unseen" ] || kill -STOP "$(sed -n 's/^of //p' "$tmp/err")"
		printf a
		sleep 1
		[ -z "$unseen" ] || kill -CONT "$(sed -n 's/^of //p' "$tmp/err")"
		sleep 3
		printf b
	) | "$ward" trace --json "$tmp/places.ward" -- "$place" libraries 300 "${@:2}" >"$tmp/out" 2>"$tmp/err"
	check "$1: status" [ $? = 0 ]
	check "$1: at one place" [ "$(grep -a '^at ' "$tmp/err" | sort | uniq -c | awk '{print $1}')" = 2 ]
	check "$1: each call" [ "$(field calls)" = 602 ]
	local whole lost
	whole=$(sum_of "$begins(;places!call_libraries)?;places!call_library;[^;]*enter[^;]*;places!marked")
	lost=$(sum_of '\[lost\];[^ ]*.*places!marked')
	check "$1: all to the end" [ "$whole" -ge 600 ]
	check "$1: or they say so" [ $((whole + lost)) = 602 ]
}
in_turn libraries "$targets/stacks/libfirst.so" "$targets/stacks/libsecond.so"
# The same file, but its bytes are others by then. Ward, the program's parent, sees that it is gone meanwhile; then Ward
# is stopped and doesn't.
for unseen in '' ', unseen'; do
	cp "$targets/stacks/libfirst.so" "$tmp/lib.so"
	in_turn "a library that is written anew$unseen" "$tmp/lib.so" "$tmp/lib.so" \
		"cat '$targets/stacks/libsecond.so' >'$tmp/lib.so'"
done
summary
