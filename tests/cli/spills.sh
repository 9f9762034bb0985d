#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Maps that hand on, in a live process: every key is exact while the reader takes what comes, and the sum is exact in any
# case: what found no room is counted.
. "$(dirname "$0")/lib.sh"

probe() { # slots, queue, key
	cat >"$tmp/spill.c" <<C
#include <ward/probe.h>
struct ward_state {
	ward_count calls;
	WARD_SPILL(unsigned long, ward_count, $1, $2) by_number;
};
WARD_ENTRY("burst!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	ward_spill_add(&st->by_number, $3, 1);
}
C
	run cc --guards never "$tmp/spill.c" -o "$tmp/spill.ward"
	check "cc: no guard is needed" [ "$status" = 0 ]
}
of_json() { jq -s "[.[] | select(.type == \"field\" and .field == \"$1\")][0] | $2" "$tmp/results"; }
# Calls of the target, so many at a time, and the tracer beside it.
start() {
	rm -f "$tmp/ask" "$tmp/answer" "$tmp/results"
	mkfifo "$tmp/ask" "$tmp/answer"
	"$targets/burst" <"$tmp/ask" >"$tmp/answer" &
	pid=$!
	started+=("$pid")
	exec 7>"$tmp/ask" 8<"$tmp/answer"
	wait_until_runs "$pid" "$targets/burst"
	"$ward" trace --json -o "$tmp/results" -p "$pid" "$tmp/spill.ward" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	started+=("$tracer")
	until grep -q '"attach"' "$tmp/results" 2>/dev/null || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
}
make() { # calls
	echo "$1" >&7
	read -r made <&8
}
stop() {
	kill -TERM "$tracer"
	status=0
	wait "$tracer" || status=$?
	exec 7>&-
	check "$1: status" [ "$status" = 0 ]
	result=0
	wait "$pid" || result=$?
	check "$1: the target ends well" [ "$result" = 0 ]
}

# 100,000 keys in 4,096 slots.
probe 4096 131072 'ev->arg[0]'
start
make 100000
stop "all keys"
check "all keys: none is missing" [ "$(of_json by_number '.entries | length')" = 100000 ]
check "all keys: each is exact" [ "$(of_json by_number '[.entries[].value] | [min, max] == [1, 1]')" = true ]
check "all keys: nothing was lost" [ "$(of_json by_number .lost)" = 0 ]

# A reader that is stopped: the sum is exact, and what has no key is said.
probe 256 1024 'ev->arg[0] * 7919 % 65521'
start
make 1000
kill -STOP "$tracer"
until [ "$(sed 's/.*) //' "/proc/$tracer/stat" | cut -c1)" = T ]; do sleep 0.01; done
make 20000
kill -CONT "$tracer"
make 100
stop stopped
check "stopped: all calls" [ "$(of_json calls .value)" = 21100 ]
lost=$(of_json by_number .lost)
check "stopped: some found no room" [ "$lost" -ge 18000 ]
check "stopped: the keys without room have what was lost" [ "$(of_json by_number .other)" = "$lost" ]
check "stopped: the sum is exact" [ "$(of_json by_number '([.entries[].value] | add) + .other')" = 21100 ]

# For people, and without a reader between start and end.
probe 16 16 'ev->arg[0]'
status=0
echo 40 | "$ward" trace "$tmp/spill.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" || status=$?
check "text: status" [ "$status" = 0 ]
check "text: all calls" grep -qE '^calls +40$' "$tmp/out"
summary
