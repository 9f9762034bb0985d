#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Functions that begin with a call for a profiler, or with nops for a tracer; and functions shorter than a jump at the
# end of the code.
. "$(dirname "$0")/lib.sh"

cd "$tmp" || exit 1 # a program for gprof leaves a file
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
cat >calls.c <<'C'
#include <ward/probe.h>
struct record {
	unsigned long a, b;
};
struct ward_state {
	WARD_MAP(ward_site, ward_count, 8) by;
	WARD_MAP(ward_site, ward_stat, 8) first;
	WARD_MAP(void *, ward_count, 64) callers;
};
WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by, (ward_site)ev->site, 1);
	ward_stat_add(ward_map_at(&st->first, (ward_site)ev->site), ev->arg[0]);
	ward_map_add(&st->callers, (void *)ev->caller, 1);
}
C
cat >returns.c <<'C'
#include <ward/probe.h>
struct ward_state {
	WARD_MAP(ward_site, ward_count, 8) by;
	WARD_MAP(ward_site, ward_stat, 8) sums; /* of the first argument and what is returned */
	ward_stat_elapsed took;
};
WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by, (ward_site)ev->site, 1);
	ward_stat_add(ward_map_at(&st->sums, (ward_site)ev->site), ev->arg[0] + 1000 * ev->ret);
	ward_stat_add(&st->took, ev->elapsed);
}
C
for probe in calls returns; do
	run cc "$probe.c" -o "$probe.ward"
	check "cc: $probe" [ "$status" = 0 ]
done
# How often a site was met, and the sum of the numbers, by its name in the results.
row() { awk -v key="$1" '$1 == key {print $NF; exit}' "$tmp/out"; }
sum() { awk -v key="$1" '$1 == key && NF > 2 {print $3; exit}' "$tmp/out"; }

for program in mcount mcount-static mcount-plain fentry fentry-cet fentry-nops fentry-clang patchable; do
	sites=(-f "$program!work" -f "$program!many" -f "$program!deep")
	run trace -o results "${sites[@]}" calls.ward -- "$targets/built/$program" 100
	check "$program: status" [ "$status" = 0 ]
	check "$program: it does what it should" [ "$(cat out)" = 'all right' ]
	check "$program: all are attached" [ "$(lines '^attached' err)" = 3 ]
	mv results out
	check "$program: each call, work" [ "$(row "$program!work")" = 500 ]
	check "$program: each call, many" [ "$(row "$program!many")" = 100 ]
	check "$program: arguments of work" [ "$(sum "$program!work")" = 1100 ]
	check "$program: arguments of many" [ "$(sum "$program!many")" = 100 ]
	check "$program: callers" grep -qE "^  $program!go_round([+]0x[0-9a-f]+)? +[0-9]+\$|^  $program!main[+]" out
	check "$program: callers, of deep" grep -qE "^  $program!deep[+]0x[0-9a-f]+ +[0-9]+\$" out
	run trace -o results -f "$program!work:return" -f "$program!many:return" returns.ward -- "$targets/built/$program" 100
	check "$program, returns: status" [ "$status" = 0 ]
	check "$program, returns: it does what it should" [ "$(cat out)" = 'all right' ]
	mv results out
	check "$program: each return" [ "$(row "$program!work")-$(row "$program!many")" = 500-100 ]
	check "$program: what many returns" [ "$(sum "$program!many")" = 14000100 ]
	check "$program: what work returns" [ "$(sum "$program!work")" = $((1100 + 1000 * 6700)) ]
done

# Two tracers at one call, that end in the order in which they came, and one that is killed: the program goes on.
for program in mcount fentry fentry-clang; do
	start_loop "$targets/built/$program"
	for one in first second third; do
		rm -f "$one.out" # that of the program before
		"$ward" trace -p "$pid" -f "$program!work" -f "$program!many" --json calls.ward >"$one.out" 2>"$one.err" &
		eval "$one=$!"
		started+=("$!")
		until [ "$(lines '"type":"attach"' "$one.out")" = 2 ] || ! kill -0 "$!" 2>/dev/null; do sleep 0.01; done
		check "$program, $one: attach: $(cat "$one.err")" [ "$(lines '"type":"attach"' "$one.out")" = 2 ]
		wait_for_rounds "$pid"
	done
	kill -KILL "$third"
	wait "$third" 2>/dev/null
	wait_for_rounds "$pid"
	run detach -p "$pid" # memory that a thread may be in is left to the others
	check "$program: detach" grep -qE "^ *$third +gone +2 +2 " out
	for one in first second; do
		wait_for_rounds "$pid"
		kill -INT "${!one}"
		wait "${!one}"
		cp "$one.out" out
		check "$program, $one: calls of both" json '[.[] | select(.field == "by" and .type == "field") | .entries[].value] | length == 2 and min >= 3'
	done
	wait_for_rounds "$pid"
	run list --json -p "$pid" "$program!work"
	check "$program: it is as before" json '.[0].method == "call"'
	end_loop "$program: afterwards"
done

# At the end of the code. The program says what its functions have returned.
run trace -o results -f 'tail!tail_*' -f 'tail!end_*' calls.ward -- "$targets/built/tail" 100
check "tail: status" [ "$status" = 0 ]
check "tail: it does what it should" [ "$(cat out)" = 700 ]
check "tail: no room" grep -q '^skipped tail!tail_alone: the function is shorter than the five bytes of a jump' err
mv results out
for name in tail_before tail_last end_before end_last; do
	check "tail: $name" [ "$(row "tail!$name")" = 100 ]
done
last=$((0x$(nm "$targets/built/tail" | sed -n 's/ t end_last$//p; s/ T end_last$//p')))
check "tail: the last bytes of a page" [ $(((last + 3) % 4096)) = 0 ]

summary
