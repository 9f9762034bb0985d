#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which sites are probed, and what is said of them; and processes that are given by their names.
. "$(dirname "$0")/lib.sh"

work=$tmp/work.ward
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
run cc "$here/work.c" -o "$work"
check "cc: status" [ "$status" = 0 ]

# What a probe of a function misses, as its library doesn't call it itself; by name only, and once.
own=$targets/named/own_calls
note="note: own_calls!shut doesn't see its module's own calls of shut_quietly, which make the same system call"
run trace -f 'own_calls!shut' "$work" -- "$own"
check "its own calls: status" [ "$status" = 0 ]
check "its own calls: said" grep -qx "$note" "$tmp/err"
run trace -f 'own_calls!shut' -f 'own_calls!shut:return' "$work" -- "$own"
check "its own calls: once" [ "$(lines '^note: ' "$tmp/err")" = 1 ]
for sites in 'own_calls!other' 'own_calls!main' 'own_calls!shut*'; do
	run trace -f "$sites" "$work" -- "$own"
	check "its own calls: not of $sites" [ "$(lines '^note: ' "$tmp/err")" = 0 ]
done
run trace -q -f 'own_calls!shut' "$work" -- "$own"
check "its own calls: not with -q" [ ! -s "$tmp/err" ]
run trace --json -o "$tmp/results" -f 'own_calls!shut' "$work" -- "$own"
mv "$tmp/results" "$tmp/out"
check "its own calls: for programs" json '.[0].elsewhere == "shut_quietly"'
run list --json -f 'own_calls!shut' "$own"
check "its own calls: ward list" json '.[0].elsewhere == "shut_quietly"'

# Several sites; a function that two of them name is probed once.
sites=(-f 'target!work' -f 'target!behind' -f 'target!w*')
run trace --json -o "$tmp/results" "${sites[@]}" "$work" -- "$targets/target" 100 0
check "several sites: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "several sites: each once" json '[.[] | select(.type == "attach") | .site] | sort == ["target!behind", "target!work"]'
check "several sites: counted once" json '.[-1].events == 100'
for options in --follow --later; do
	run trace --json -o "$tmp/results" $options -f 'target!nothing' -f 'target!work' "$work" -- \
		"$targets/target" 100 0
	check "several sites, $options: status" [ "$status" = 0 ]
	mv "$tmp/results" "$tmp/out"
	check "several sites, $options: counted" json '.[-1].events == 100'
	check "several sites, $options: what there isn't" json \
		'[.[] | select(.type == "skip") | .site] == ["target!nothing"]'
done
run trace -f 'target!nothing' -f 'target!work' "$work" -- "$targets/target" 10 0
check "one of two sites: status" [ "$status" = 0 ]
check "one of two sites: said" [ "$(cat "$tmp/err")" = "skipped target!nothing: no function matches
attached target!work (jump)" ]
refused 3 'nothing' trace -f 'target!nothing' -f 'target!none' "$work" -- "$targets/target" 10 0
# At an entry and at a return: the probe that reads no result runs at both.
run trace --json -o "$tmp/results" -f 'ends!fail_some' -f 'ends!fail_some:return' "$work" -- "$targets/ends"
mv "$tmp/results" "$tmp/out"
check "both ends: counted" json '.[-1].events == 800'
refused 2 'returns and on exceptions' trace -f 'target!work:return' -f 'target!work:throw' "$work" -- \
	"$targets/target" 10 0

# Many sites are counted.
start_loop "$targets/target"
run trace -p "$pid" -d 0.2 -f 'libc.so.6!*' "$work"
check "many sites: status" [ "$status" = 0 ]
check "many sites: counted" grep -qE '^attached [0-9]{3,} sites, skipped [0-9]+; -v names each$' "$tmp/err"
check "many sites: not named" [ "$(lines '^attached ' "$tmp/err")" = 1 ]
check "many sites: why some are skipped" grep -qE '^skipped [0-9]+: the symbol is a part of a function' "$tmp/err"
attached=$(sed -n 's/^attached \([0-9]*\) sites.*/\1/p' "$tmp/err")
skipped=$(sed -n 's/^attached .* skipped \([0-9]*\);.*/\1/p' "$tmp/err")
check "many sites: the reasons' sum" [ "$(sed -n 's/^skipped \([0-9]*\)[: ].*/\1/p' "$tmp/err" | paste -sd+ | bc)" = \
	"$skipped" ]
run trace -p "$pid" -d 0.2 -v -f 'libc.so.6!*' "$work"
check "-v: each is named" [ "$(lines '^attached libc' "$tmp/err")" = "$attached" ]
check "-v: each that is skipped is" [ "$(lines '^skipped libc' "$tmp/err")" = "$skipped" ]
run trace -p "$pid" -d 0.2 -q -f 'libc.so.6!*' "$work"
check "-q: status" [ "$status" = 0 ]
check "-q: nothing" [ ! -s "$tmp/err" ]
refused 3 'nothing' trace -q -p "$pid" -f 'target!nothing' "$work"

# Tail calls: nothing is returned there yet, and rax has anything in it.
cat >"$tmp/tails.c" <<'C'
#include <stdio.h>
long only_tail(long), some_tail(long);
__attribute__((noinline, noclone, used)) long minus(long x)
{
	__asm__ volatile("nop; nop; nop; nop; nop" : "+r"(x));
	return -x;
}
__asm__(".globl only_tail, some_tail\n"
	".type only_tail, @function\n.type some_tail, @function\n"
	"only_tail: mov $7, %eax\n lea 1(%rdi), %rdi\n jmp minus\n.size only_tail, . - only_tail\n"
	"some_tail: mov $7, %eax\n test $1, %dil\n jz 1f\n lea (%rdi), %rax\n nop\n ret\n"
	"1: lea 1(%rdi), %rdi\n jmp minus\n.size some_tail, . - some_tail\n");
int main(void)
{
	long sum = 0;

	for (long i = 0; i < 100; i++)
		sum += only_tail(i) + some_tail(i);
	printf("%ld\n", sum);
	return sum == 0;
}
C
gcc -O1 -o "$tmp/tails" "$tmp/tails.c"
tail_probe() { # what is done
	printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { ward_count calls, failed, tails, sevens; };' \
		'WARD_ENTRY(":return") void r(const struct ward_event *ev, struct ward_state *st)' \
		"{ st->calls++; $1 }" >"$tmp/tail.c"
}
tail_probe 'st->failed += (long)ev->ret < 0; st->sevens += ev->ret == 7;'
refused 3 'left by tail calls only, and the probe reads ev->ret' trace -f 'tails!only_tail:return' "$tmp/tail.c" -- \
	"$tmp/tails"
run trace -f 'tails!some_tail:return' "$tmp/tail.c" -- "$tmp/tails"
check "tail calls: status" [ "$status" = 0 ]
check "tail calls: said at attach" grep -qx 'attached tails!some_tail:return (2 exits, 1 by tail calls, site 0)' \
	"$tmp/err"
check "tail calls: what is known is counted" grep -qE '^calls +50$' "$tmp/out"
check "tail calls: what isn't known is not" grep -qE '^sevens +1$' "$tmp/out"
check "tail calls: it is counted as dropped" grep -qx '50 events in 1 thread, 50 dropped' "$tmp/out"
tail_probe 'st->failed += (long)ev->ret < 0 && ev->arg[0] < 100;'
run trace -f 'tails!some_tail:return' "$tmp/tail.c" -- "$tmp/tails"
check "tail calls, paired: status" grep -qx '50 events in 1 thread, 50 dropped' "$tmp/out"
tail_probe 'st->failed += ev->caller && (long)ev->ret < 0; st->tails += !ev->caller;'
run trace -f 'tails!some_tail:return' -f 'tails!only_tail:return' "$tmp/tail.c" -- "$tmp/tails"
check "tail calls that the probe can tell: all" grep -qx '200 events in 1 thread, 0 dropped' "$tmp/out"
check "tail calls that the probe can tell: which" grep -qE '^tails +150$' "$tmp/out"
check "tail calls that the probe can tell: said" grep -qx 'attached tails!only_tail:return (1 exit, by tail calls, site [01])' "$tmp/err"
tail_probe 'st->failed += ev->elapsed > 0;'
run trace -f 'tails!only_tail:return' "$tmp/tail.c" -- "$tmp/tails"
check "tail calls, no result is read" grep -qx '100 events in 1 thread, 0 dropped' "$tmp/out"

# By name: of the program's file, or what the process calls itself.
cp "$targets/target" "$tmp/lonely target"
mkfifo "$tmp/lonely"
"$tmp/lonely target" loop <"$tmp/lonely" >/dev/null &
lonely=$!
started+=("$lonely")
exec 8>"$tmp/lonely"
wait_until_runs "$lonely" "$tmp/lonely target"
run trace -p 'lonely target' -d 0.2 --json -f '*!work' "$work"
check "by name: status" [ "$status" = 0 ]
check "by name: events" json '.[-1].events > 0'
run list -p 'lonely target' '*!work'
check "by name, list" [ "$status" = 0 ]
run detach -p 'lonely target'
check "by name, detach" grep -qx "nothing of Ward's is left in process $lonely" "$tmp/out"
(
	exec 8>&- 9>&-
	exec -a 'lonely target' sleep 1000
) &
second=$!
started+=("$second")
wait_until_runs "$second" "$(command -v sleep)"
refused 3 "2 processes are called so: .*" trace -p 'lonely target' "$work"
check "two of a name: both are named" grep -qE "($lonely, $second|$second, $lonely)$" "$tmp/err"
exec 8>&-
end_loop "a target that was traced at many sites"
summary
