#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queues in a live process: each record is printed or written once, or was refused and counted, also when the reader is
# stopped for a while.
. "$(dirname "$0")/lib.sh"

probe() { # slots
	cat >"$tmp/queue.c" <<C
#include <ward/probe.h>
struct call {
	uint64_t time, number;
};
struct ward_state {
	ward_count calls, kept;
	WARD_QUEUE(struct call, $1) all;
};
WARD_ENTRY("burst!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	if (ward_queue_push(&st->all, ((struct call){.time = ev->time, .number = ev->arg[0]})))
		st->kept++;
}
C
	run cc --guards never "$tmp/queue.c" -o "$tmp/queue.ward"
	check "cc: no guard is needed" [ "$status" = 0 ]
}
of_json() { jq -s "[.[] | select(.type == \"field\" and .field == \"$1\")][0].$2" "$tmp/results"; }
numbers() { jq 'select(.type == "record") | .record.number' "$tmp/results"; }

# All of it, as it comes.
probe 8192
status=0
echo 5001 | "$ward" trace --json -o "$tmp/results" "$tmp/queue.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" ||
	status=$?
check "json: status" [ "$status" = 0 ]
check "json: each record once, in order" cmp -s <(numbers) <(seq 0 5000)
check "json: totals" [ "$(of_json all kind) $(of_json all records) $(of_json all lost)" = '"queue" 5001 0' ]
status=0
echo 5001 | "$ward" trace --records -o "$tmp/results" "$tmp/queue.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" ||
	status=$?
check "records: a line each" [ "$(grep -c '^all  time .* number ' "$tmp/results")" = 5001 ]
check "records: totals" grep -qx 'all  5001 records read, 0 lost' "$tmp/results"
status=0
echo 5001 | "$ward" trace --ctf "$tmp/ctf" "$tmp/queue.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" || status=$?
check "ctf: totals" grep -qx 'all  5001 records written, 0 lost' "$tmp/out"
check "ctf: each record once, in order" cmp -s <(babeltrace2 "$tmp/ctf" | sed 's/.*number = //; s/ .*//') <(seq 0 5000)

# Without a reader: the first ones.
probe 4
status=0
echo 10 | "$ward" trace "$tmp/queue.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" || status=$?
check "table: status" [ "$status" = 0 ]
check "table: the first records" [ "$(sed -n '/^all$/,$p' "$tmp/out" | awk 'NR > 2 && $2 ~ /^[0-9]+$/ { print $NF }' |
	head -4 | tr '\n' ' ')" = "0 1 2 3 " ]
check "table: what was refused" grep -qx '  6 lost: the queue was full' "$tmp/out"

# A reader that is stopped, by turns: what was kept was read, all else was refused.
probe 512
mkfifo "$tmp/ask" "$tmp/answer"
"$targets/burst" <"$tmp/ask" >"$tmp/answer" &
pid=$!
started+=("$pid")
exec 7>"$tmp/ask" 8<"$tmp/answer"
wait_until_runs "$pid" "$targets/burst"
"$ward" trace --json -o "$tmp/results" -p "$pid" "$tmp/queue.ward" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
make() { # calls
	echo "$1" >&7
	read -r made <&8
}
until grep -q '"record"' "$tmp/results" 2>/dev/null || ! kill -0 "$tracer" 2>/dev/null; do
	make 10
	sleep 0.01
done
for turn in 1 2 3; do
	kill -STOP "$tracer"
	until [ "$(sed 's/.*) //' "/proc/$tracer/stat" | cut -c1)" = T ]; do sleep 0.01; done
	make 2000
	lines=$(wc -l <"$tmp/results")
	kill -CONT "$tracer"
	until [ "$(wc -l <"$tmp/results")" -gt "$lines" ] || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
done
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
exec 7>&-
check "stopped: status" [ "$status" = 0 ]
result=0
wait "$pid" || result=$?
check "stopped: the target ends well" [ "$result" = 0 ]
check "stopped: what was kept was read" [ "$(of_json all records)" = "$(of_json kept value)" ]
check "stopped: what wasn't is counted" [ $(($(of_json all records) + $(of_json all lost))) = "$(of_json calls value)" ]
check "stopped: some was refused" [ "$(of_json all lost)" -ge 4000 ]
check "stopped: the queue had room again" [ "$(of_json all records)" -gt 1024 ]
check "stopped: as many are there as it says" [ "$(numbers | wc -l)" = "$(of_json all records)" ]
check "stopped: each once, in order" cmp -s <(jq 'select(.type == "record") | .record.time' "$tmp/results") <(jq \
	'select(.type == "record") | .record.time' "$tmp/results" | sort -n -u)
summary
