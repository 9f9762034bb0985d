#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records on disk: what is in the trace and what it says was lost are all that was made, exactly, also when the reader
# is stopped. Another program, babeltrace2, reads them.
. "$(dirname "$0")/lib.sh"

ring() { # slots
	cat <<C
#include <ward/probe.h>
enum turn { EVEN, ODD = 1, BACK = -1 };
struct call {
	uint64_t time, number;
	int32_t negative;
	char name[6];
	enum turn turn;
	void *event;
};
struct pair {
	uint16_t low[2];
	uint64_t all;
};
struct ward_state {
	ward_count calls;
	WARD_RING(struct call, $1) all;
	WARD_RING(struct pair, $1) odd;
};
WARD_ENTRY("burst!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t n = ev->arg[0];
	st->calls++;
	ward_ring_push(&st->all, ((struct call){.time = ev->time, .number = n, .negative = -(int)(n & 3), .name = "work", .turn = n == 7 ? BACK : n & 1, .event = (void *)n}));
	if (n & 1)
		ward_ring_push(&st->odd, ((struct pair){.low = {n & 255, n >> 8 & 255}, .all = n}));
}
C
}

# What babeltrace2 reads: the records to $tmp/text, what it says of losses to $tmp/losses.
read_trace() { # directory
	babeltrace2 "$1" >"$tmp/text" 2>"$tmp/losses"
}
records() { sed -n "s/.* $1: .* $2 = \([0-9]*\).*/\1/p" "$tmp/text"; }
discarded() { sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' "$tmp/losses" | awk '{ n += $1 } END { print n + 0 }'; }
of_json() { jq -s "[.[] | select(.field == \"$1\")][0].$2" "$tmp/results"; }

# All of it, from two rings of one thread.
ring 65536 >"$tmp/ring.c"
run cc "$tmp/ring.c" -o "$tmp/ring.ward"
check "cc: status" [ "$status" = 0 ]
status=0
echo 5001 | "$ward" trace --json -o "$tmp/results" --ctf "$tmp/all" "$tmp/ring.ward" -- "$targets/burst" >"$tmp/out" \
	2>"$tmp/err" || status=$?
check "all: status" [ "$status" = 0 ]
check "all: the command's output is its own" [ "$(cat "$tmp/out")" = 5001 ]
check "all: results" [ "$(of_json all records) $(of_json all lost) $(of_json odd records) $(of_json odd lost) $(of_json calls value)" = "5001 0 2500 0 5001" ]
check "all: records aren't printed as well" [ "$(jq -s '[.[] | select(.type == "record")] | length' "$tmp/results")" \
	= 0 ]
check "all: babeltrace2 reads it" read_trace "$tmp/all"
check "all: in order, each once" cmp -s <(records all number) <(seq 0 5000)
check "all: the other ring" cmp -s <(records odd all) <(seq 1 2 5000)
check "all: members" grep -qE ' all: \{ thread = 0 \}, \{ time = [0-9]+, number = 5000, negative = 0, name = "work", turn = \( "EVEN" : container = 0 \), event = 0x1388 \}$' "$tmp/text"
check "all: an enumeration" grep -qE 'number = 7, .* turn = \( "BACK" : container = -1 \), event' "$tmp/text"
check "all: signs" grep -qE 'number = 4999, negative = -3, name' "$tmp/text"
check "all: arrays" grep -qE ' odd: \{ thread = 0 \}, \{ low_0_ = 135, low_1_ = 19, all = 4999 \}$' "$tmp/text"
check "all: nothing discarded" [ "$(discarded)" = 0 ]
now=$(date +%s)
stamp=$(babeltrace2 --clock-seconds "$tmp/all" | sed -n '$s/^\[\([0-9]*\).*/\1/p')
check "all: the clock on the wall" [ "$stamp" -gt $((now - 3600)) ] &&
	check "all: and not ahead of it" [ "$stamp" -le $((now + 5)) ]

# A reader that is stopped: what is overwritten meanwhile is lost, and counted.
ring 4096 >"$tmp/small.c"
run cc "$tmp/small.c" -o "$tmp/small.ward"
mkfifo "$tmp/ask" "$tmp/answer"
"$targets/burst" <"$tmp/ask" >"$tmp/answer" &
pid=$!
started+=("$pid")
exec 7>"$tmp/ask" 8<"$tmp/answer"
wait_until_runs "$pid" "$targets/burst"
"$ward" trace --json -o "$tmp/results" --ctf "$tmp/stopped" -p "$pid" "$tmp/small.ward" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
make() { # calls
	echo "$1" >&7
	read -r made <&8
}
# Until the first records are there.
until compgen -G "$tmp/stopped/0-*" >/dev/null || ! kill -0 "$tracer" 2>/dev/null; do
	make 10
	sleep 0.01
done
kill -STOP "$tracer"
until [ "$(sed 's/.*) //' "/proc/$tracer/stat" | cut -c1)" = T ]; do sleep 0.01; done
make 20000
kill -CONT "$tracer"
make 500
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
exec 7>&-
check "stopped: status" [ "$status" = 0 ]
result=0
wait "$pid" || result=$?
check "stopped: the target ends well" [ "$result" = 0 ]
calls=$(of_json calls value)
for field in all odd; do
	check "stopped: $field: babeltrace2 reads it" read_trace "$tmp/stopped"
	written=$(of_json $field records) lost=$(of_json $field lost)
	# The last call's number is odd.
	expected=$calls made_meanwhile=20000 number=number
	[ $field = all ] || expected=$(((calls + 1) / 2)) made_meanwhile=10000 number=all
	check "stopped: $field: nothing is missing from the sum" [ "$((written + lost))" = "$expected" ]
	check "stopped: $field: what was overwritten is lost" [ "$lost" -ge $((made_meanwhile - 4096)) ]
	check "stopped: $field: as many are there as it says" [ "$(records $field $number | wc -l)" = "$written" ]
	check "stopped: $field: each once, in order" cmp -s <(records $field $number) <(records $field $number |
		sort -n -u)
done
check "stopped: the last one is there" [ "$(records all number | tail -1)" = $((made - 1)) ]
check "stopped: the trace has all losses" [ "$(discarded)" = $(($(of_json all lost) + $(of_json odd lost))) ]

# What can't be had.
mkdir "$tmp/there"
refused 2 'already' trace --ctf "$tmp/there" "$tmp/ring.ward" -- "$targets/burst"
refused 2 'No such' trace --ctf "$tmp/no/such" "$tmp/ring.ward" -- "$targets/burst"
refused 2 'no ring' trace --ctf "$tmp/none" "$here/work.c" -- "$targets/target" 10 0
check "refused: no directory" [ ! -e "$tmp/none" ]
refused 3 '' trace --ctf "$tmp/nosite" -f 'burst!nothing' "$tmp/ring.ward" -- "$targets/burst"
check "refused by the target: no directory" [ ! -e "$tmp/nosite" ]

# For people.
status=0
echo 7 | "$ward" trace --ctf "$tmp/people" "$tmp/ring.ward" -- "$targets/burst" >"$tmp/out" 2>"$tmp/err" || status=$?
check "people: written" grep -qE '^all  7 records written, 0 lost$' "$tmp/out"
check "people: one" sh -c "echo 2 | '$ward' trace --ctf '$tmp/one' '$tmp/ring.ward' -- '$targets/burst' 2>/dev/null | grep -qE '^odd  1 record written, 0 lost\$'"
summary
