#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What threads share, in live processes: what one thread begins another one ends, exactly, and each process has its own.
. "$(dirname "$0")/lib.sh"

cat >"$tmp/shared.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count paired, missed, wrong;
};
WARD_SHARED(
	ward_shared_count calls;
	WARD_SHARED_MAP(unsigned long, unsigned long, 4096) begun;
	WARD_SHARED_MAP(unsigned int, unsigned long, 64) sums;
);
WARD_ENTRY("shared!begin_pair")
void on_begin(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	ward_shared.calls++;
	ward_shared_map_put(&ward_shared.begun, ev->arg[0], ev->arg[1]);
	ward_shared_map_add(&ward_shared.sums, (unsigned int)ev->arg[0] & 7, 2);
}
WARD_ENTRY("shared!end_pair")
void on_end(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v;

	if (!ward_shared_map_pop(&ward_shared.begun, ev->arg[0], &v))
		st->missed++;
	else if (v == ev->arg[1])
		st->paired++;
	else
		st->wrong++;
}
C
run cc --guards never "$tmp/shared.c" -o "$tmp/shared.ward"
check "cc: no guard is needed" [ "$status" = 0 -a ! -s "$tmp/err" ]
value() { jq -s "[.[] | select(.type == \"field\" and .field == \"$1\")][0] | $2" "$tmp/results"; }

# Each of n processes has some threads, which leave one pair each open.
check_pairs() { # what, processes, threads, pairs
	local all=$(($2 * $3 * $4)) open=$(($2 * $3))
	check "$1: status" [ "$status" = 0 ]
	check "$1: all begin" [ "$(value shared.calls .value)" = "$all" ]
	check "$1: all are paired" [ "$(value paired .value)" = $((all - open)) ]
	check "$1: none is missed" [ "$(value missed .value)" = 0 ]
	check "$1: none is wrong" [ "$(value wrong .value)" = 0 ]
	check "$1: nothing is lost" [ "$(value shared.begun .lost)" = 0 ]
	check "$1: what is open" [ "$(value shared.begun '[.entries[].value] | length')" = "$3" ]
	check "$1: sums" [ "$(value shared.sums '[.entries[].value] | add')" = $((2 * all)) ]
	check "$1: no event is dropped" [ "$(jq -s '.[] | select(.type == "end") | .dropped' "$tmp/results")" = 0 ]
}
run trace --json -o "$tmp/results" "$tmp/shared.ward" -- "$targets/shared" 8 20000
check_pairs "eight threads" 1 8 20000

# Processes one after the other, and beside each other: keys are the same, and each has a map of its own. The maps' entries
# come together in the results.
run trace --follow --json -o "$tmp/results" "$tmp/shared.ward" -- sh -c \
	"'$targets/shared' 2 500; '$targets/shared' 2 500; '$targets/shared' 2 500; exit 0"
check "one after the other: all begin" [ "$(value shared.calls .value)" = 3000 ]
check "one after the other: all are paired" [ "$(value paired .value)" = 2994 ]
run trace --follow --json -o "$tmp/results" "$tmp/shared.ward" -- sh -c \
	"'$targets/shared' 2 5000 & '$targets/shared' 2 5000 & wait"
check_pairs "beside each other" 2 2 5000

# A live process, for people.
run trace "$tmp/shared.ward" -- "$targets/shared" 1 3
check "text: a counter" grep -q '^shared.calls  3$' "$tmp/out"
check "text: a map" grep -qE '^ *2 +6$' "$tmp/out"
run info "$tmp/shared.ward"
check "info: fields" grep -q 'shared.begun' "$tmp/out"

# What can't be shared is named, and why.
cat >"$tmp/spoilt.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count n;
};
WARD_SHARED(ward_log2 sizes; ward_shared_count calls;);
WARD_ENTRY("shared!begin_pair")
void on_begin(const struct ward_event *ev, struct ward_state *st)
{
	st->n++;
	ward_shared.calls++;
	ward_log2_add(&ward_shared.sizes, ev->arg[0]);
}
C
run cc "$tmp/spoilt.c" -o "$tmp/spoilt.ward"
check "an aggregate that can't be shared" grep -q "spoilt.c:5:.*sizes.*threads that share it would spoil it" "$tmp/err"
summary
