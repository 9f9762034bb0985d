#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Names of addresses and sites: each is what was there when the probe kept it, or no name is told.
. "$(dirname "$0")/lib.sh"

named=$targets/named
for probe in callers sites pointers; do
	"$ward" cc "$here/named/$probe.probe.c" -o "$tmp/$probe.ward" || exit 1
done
# The value of a row; 0 if there is none.
row() { awk -v key="$1" '$0 ~ "^  " key "  +[0-9]+$" {n += $NF} END {print n + 0}' "$tmp/out"; }
json() { jq -e -s "$1" "$tmp/results" >/dev/null; }

# Programs and Ward take turns: a program says that it is ready, and waits for a line. Ward has looked at what is mapped
# when it has waited often enough: it polls the dynamic linker's list each time.
await_ready() { # how often; file
	until [ "$(grep -c ready "$2")" -ge "$1" ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
}
await_looks() {
	local before task=/proc/$tracer/task
	before=$(polls)
	until [ "$(polls)" -gt $((before + 100)) ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
}
polls() { cat /proc/"$tracer"/task/*/status 2>/dev/null |
	awk '/^voluntary_ctxt_switches/ {n += $2} END {print n + 0}'; }
# Trace a program that waits for lines, and give it each line when Ward has looked.
take_turns() { # lines, ward's arguments
	local n=$1
	shift
	mkfifo "$tmp/lines"
	: >"$tmp/said" && : >"$tmp/results"
	"$ward" trace -o "$tmp/results" "$@" <"$tmp/lines" >"$tmp/said" 2>"$tmp/err" &
	tracer=$!
	started+=("$tracer")
	exec 8>"$tmp/lines"
	for turn in $(seq "$n"); do
		await_ready "$turn" "$tmp/said"
		await_looks
		echo >&8
	done
	status=0
	wait "$tracer" || status=$?
	exec 8>&-
	rm "$tmp/lines"
	cp "$tmp/results" "$tmp/out"
}

# A command's library that is loaded later, and there at the end, has its names.
for later in '' --later; do
	take_turns 2 $later "$tmp/callers.ward" -- "$named/callers" 0 load "$named/libfirst.so" 500
	check "loaded later$later: status" [ "$status" = 0 ]
	check "loaded later$later: the caller" [ "$(row 'libfirst[.]so!first_calls[+]0x[0-9a-f]+')" = 500 ]
done

# Another library comes to its place: each caller is named by what was there at the time, or by all that it can be.
for later in '' --later; do
	take_turns 3 $later "$tmp/callers.ward" -- "$named/callers" 0 load "$named/libfirst.so" 500 \
		"$named/libsecond.so" 30
	check "one after the other$later: status" [ "$status" = 0 ]
	both='0x[0-9a-f]+ [(]libfirst[.]so!first_calls[+]0x[0-9a-f]+ or libsecond[.]so!second_calls([+]0x[0-9a-f]+)?[)]'
	one='libsecond[.]so!second_calls[+]0x[0-9a-f]+'
	both_n=$(row "$both") second=$(row "$one") first=$(row 'libfirst[.]so!first_calls[+]0x[0-9a-f]+')
	check "one after the other$later: nothing of the first is the second's ($both_n, $first, $second)" \
		[ "$second" -le 30 ]
	check "one after the other$later: all are there" [ $((both_n + first + second)) = 530 ]
	check "one after the other$later: the last calls are the second's" \
		[ "$(sed -n '/^last$/,$p' "$tmp/out" | grep -cE "^ +[0-9:.]+  $one$")" = 30 ]
done
take_turns 3 --json "$tmp/callers.ward" -- "$named/callers" 0 load "$named/libfirst.so" 500 "$named/libsecond.so" 30
check "one after the other, JSON: status" [ "$status" = 0 ]
check "one after the other, JSON: both" json '[.[] | select(.type == "field" and .field == "callers") | .entries[] | select(.value == 500) | .key] as [$key] | .[] | select(.type == "address" and .value == $key) | .name | test("^(0x[0-9a-f]+ [(])?libfirst[.]so!first_calls[+]0x[0-9a-f]+")'

# A process that was there already: it loads a library, calls, and becomes another program.
mkfifo "$tmp/in"
: >"$tmp/said"
"$named/callers" 0 load "$named/libfirst.so" 500 "$named/libsecond.so" 30 <"$tmp/in" >"$tmp/said" &
pid=$!
started+=("$pid")
exec 8>"$tmp/in"
tracer=$pid
await_ready 1 "$tmp/said"
"$ward" trace -p "$pid" -o "$tmp/results" "$tmp/callers.ward" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until grep -q '^attached' "$tmp/err" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
for turn in 2 3; do
	await_looks
	echo >&8
	await_ready "$turn" "$tmp/said"
done
await_looks
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
exec 8>&-
wait "$pid"
cp "$tmp/results" "$tmp/out"
both_n=$(row "$both") second=$(row "$one") first=$(row 'libfirst[.]so!first_calls[+]0x[0-9a-f]+')
check "-p: status" [ "$status" = 0 ]
check "-p: nothing of the first is the second's ($both_n, $first, $second)" [ "$second" -le 30 ]
check "-p: all are there" [ $((both_n + first + second)) = 530 ]

# Programs that are followed have their own code at the same addresses.
for pair in callers:other-pie callers-fixed:other-fixed; do
	one=${pair%:*} two=${pair#*:}
	run trace --follow "$tmp/callers.ward" -- setarch -R "$named/$one" 3 fork "$named/$two" 500
	check "followed, $two: status" [ "$status" = 0 ]
	check "followed, $two: the child's" [ "$(row "$two!other_calls[+]0x[0-9a-f]+")" = 500 ]
	check "followed, $two: the parent's" [ "$(row "$one!own_calls[+]0x[0-9a-f]+")" = 3 ]
done
run trace --follow --json -o "$tmp/results" "$tmp/callers.ward" -- "$named/callers-fixed" 3 exec \
	"$named/other-fixed" 500
check "executed: status" [ "$status" = 0 ]
check "executed: each entry has its own name" json '[.[] | select(.type == "field" and .field == "callers") | .entries[] | {(.names.key // "" | split("+")[0]): .value}] | add | .["other-fixed!other_calls"] == 500 and .["callers-fixed!own_calls"] == 3'
check "executed: each record has its own name" json '[.[] | select(.type == "record") | .names.by // ""] | map(select(startswith("other-fixed!other_calls+"))) | length >= 64'

# One function at different addresses is one caller.
run trace --follow "$tmp/callers.ward" -- sh -c "for i in 1 2 3 4; do '$named/callers' 100; done; exit 0"
check "many processes: status" [ "$status" = 0 ]
check "many processes: one row" [ "$(grep -cE '^  callers!own_calls[+]' "$tmp/out")" = 1 ]
check "many processes: all calls" [ "$(row 'callers!own_calls[+]0x[0-9a-f]+')" = 400 ]

# Long names: what is cut is marked, and two stay two.
for kind in pointers:take sites:wrap*; do
	run trace -f "long!${kind#*:}" "$tmp/${kind%:*}.ward" -- "$named/long"
	check "long names, $kind: status" [ "$status" = 0 ]
	for n in 30 70; do
		check "long names, $kind: $n" [ "$(grep -cE "^  long!wrap<.*[.]{3}\[[^]]+\] +$n\$" "$tmp/out")" = 1 ]
	done
done
run trace --json -o "$tmp/results" -f 'long!take' "$tmp/pointers.ward" -- "$named/long"
check "long names, JSON: whole" json '[.[] | select(.type == "address") | .name | select(length > 600) | test("::(first|second)[(].*, int[)]$")] == [true, true]'

# A module is found by its path, in short, by another name of its file, and by what the program was called.
mkdir "$tmp/bin" "$tmp/links"
cp "$named/callers" "$tmp/bin/real"
ln -s real "$tmp/bin/other"
ln -s "$tmp/bin/real" "$tmp/links/far"
for name in real other far "$tmp/bin/real" "$tmp/bin/other" "$tmp/links/far"; do
	run trace -f "$name!own_calls" "$tmp/sites.ward" -- "$tmp/links/far" 3
	check "a module by ${name//"$tmp"/}" [ "$status-$(row '.*!own_calls')" = 0-1 ]
done
cp "$named/callers" "$tmp/bin/od!d"
run trace -f 'od\!d!own_calls' "$tmp/sites.ward" -- "$tmp/bin/od!d" 3
check "a module with an exclamation mark" [ "$status" = 0 ]
check "a module with an exclamation mark: its site is a pattern" grep -qE '^  od[\]!d!own_calls +1$' "$tmp/out"
run trace -f 'libc!malloc' "$tmp/sites.ward" -- "$tmp/bin/real" 3
check "a library in short" [ "$(row 'libc[.]so[.]6!malloc')" = 3 ]
refused 3 'there is no module .lib.' trace -f 'lib!malloc' "$tmp/sites.ward" -- "$tmp/bin/real" 3
refused 3 'there is no module .nothing.' trace -f 'nothing!main' "$tmp/sites.ward" -- "$tmp/bin/real" 3

# Functions of one name are told apart: static ones by their files, others by their versions.
run trace -f 'twins!helper' "$tmp/sites.ward" -- "$named/twins"
check "static functions: each" [ "$(row 'twins!helper@twins[.]c')-$(row 'twins!helper@twins_more[.]c')" = 200-100 ]
run trace -f 'twins!helper@twins_more.c' "$tmp/sites.ward" -- "$named/twins"
check "static functions: one" [ "$(row 'twins!helper@twins_more[.]c')-$(row '.*')" = 100-100 ]
for library in "" "$named-s"; do
	export LD_LIBRARY_PATH=$library
	run trace -f 'libversions.so!api' "$tmp/sites.ward" -- "$named/twins"
	check "versions, ${library:-with symbols}: each" [ "$(row 'libversions[.]so!api')-$(row 'libversions[.]so!api@VER_1')" = 100-40 ]
	for one in VER_1:40 VER_2:100 @VER_2:100; do
		run trace -f "libversions.so!api@${one%:*}" "$tmp/sites.ward" -- "$named/twins"
		check "versions, ${library:-with symbols}: $one" [ "$(row '.*')" = "${one#*:}" ]
	done
	unset LD_LIBRARY_PATH
done
refused 3 'no function matches .helper@other[.]c.' trace -f 'twins!helper@other.c' "$tmp/sites.ward" -- "$named/twins"
check "another file: what there is" grep -qE '^hint: did you mean twins!helper@twins(_more)?[.]c[?]$' "$tmp/err"
refused 3 'no function matches .scale.' trace -f 'twins!scale' "$tmp/sites.ward" -- "$named/twins"
check "a clone: what there is" grep -qx 'hint: did you mean twins!scale[.]constprop[.]0[?]' "$tmp/err"

summary
