#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# More keys than a map has slots: keys.sh WARD KEYS. Each key is exact as long as Ward takes what the map hands on; if
# Ward is stopped, the number of events without a key is said, and makes the sum exact.
. "$(dirname "$0")/../cli/lib.sh"
cp "$2" "$tmp/keys"
cd "$tmp"
start() { # keys, query
	rm -f ask answer out
	mkfifo ask answer
	./keys "$1" <ask >answer &
	pid=$!
	started+=("$pid")
	exec 7>ask 8<answer
	wait_until_runs "$pid" ./keys
	"$ward" query --json -p "$pid" "$2" >out 2>err &
	query=$!
	started+=("$query")
	until grep -qs '"attach"' out || ! kill -0 "$query" 2>/dev/null; do sleep 0.01; done
}
make() { # calls
	echo "$1 0" >&7
	read -r made <&8
}
# Calls in lumps that a queue has room for: before the next one Ward has looked at it. It waits after each look.
make_in_time() { # lumps, calls
	for _ in $(seq "$1"); do
		make "$2"
		wait_for_rounds "$query"
	done
}
stop() {
	kill -TERM "$query"
	status=0
	wait "$query" || status=$?
	exec 7>&- 8<&-
	wait "$pid"
	check "$1: status" [ "$status" = 0 ]
}
holds() { jq -se ".[-1] | $1" out >/dev/null; }

# 100,000 keys in 4,096 slots, each twice.
start 100000 'Function("keys!touch").CountBy(arg0)'
make_in_time 5 40000
stop "in time"
check "in time: nothing is missing" holds '.complete and .lacks == []'
check "in time: all keys are there" holds '.rows | length == 100000'
check "in time: each is exact" holds '[.rows[].count] | min == 2 and max == 2'

# Groups of several results; few slots, so that the keys change places all the time.
start 500 'Function("keys!touch").Keys(64).GroupBy(arg0)
	.Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg0), m = g.Max(arg0) })'
make_in_time 5 10000
stop "groups"
check "groups: all are there, each exact" holds \
	'.complete and (.rows | length == 500 and all(.n == 100 and .s == .Key * 100 and
	.m == .Key))'

# Ward is stopped meanwhile: what found no room is counted, and with it the sum is exact.
start 100000 'Function("keys!touch").CountBy(arg0)'
make_in_time 1 20000
kill -STOP "$query"
until [ "$(sed 's/.*) //' "/proc/$query/stat" | cut -c1)" = T ]; do sleep 0.01; done
make 200000
kill -CONT "$query"
make 1000
stop "stopped"
check "stopped: it isn't complete" holds '.complete == false'
without=$(jq -s -r '.[-1].lacks[] | select(test("key without room")) | split(" ")[0]' out)
check "stopped: what found no room is said" [ "$without" -gt 100000 ]
check "stopped: the sum is exact" [ $(($(jq -s '[.[-1].rows[].count] | add' out) + without)) = 221000 ]

# Other keys are refused if the query says so: they are counted, and the sum is exact.
start 1000 'Function("keys!touch").Keys(100, refuse).CountBy(arg0)'
make_in_time 2 1000
stop "refused"
check "refused: it isn't complete" holds '.complete == false'
check "refused: as many keys as there is room for" holds '.rows | length > 64 and length <= 128 and
	all(.[]; .count == 2)'
without=$(jq -s -r '.[-1].lacks[] | select(test("key without room")) | split(" ")[0]' out)
check "refused: the sum is exact" [ $(($(jq -s '[.[-1].rows[].count] | add' out) + without)) = 2000 ]

# The most frequent keys, with counts that may be too large: by so much at most as is said.
start 1000 'Function("keys!touch").CountBy(arg0 < 990 ? 5 : arg0).Top(2, approximate)'
make_in_time 2 1000
stop "approximate"
check "approximate: the most frequent key" holds '.complete and (.rows | length == 2) and .rows[0].Key == 5 and
	.rows[0].count >= 1980 and .rows[0].count <= 1980 + 2000 / 64'
check "approximate: so that is said" holds '.notes == ["counts may be too large, each by 1/64 of all events at most"]'

# A key of a few bits needs no queue.
"$ward" query --explain 'Function("keys!touch").CountBy((byte)arg0)' >out 2>err
check "few keys: an array" grep -q 'ward_count groups\[256\]' out
"$ward" query --explain --no-rewrite R11 'Function("keys!touch").CountBy((byte)arg0)' >out 2>err
check "or a map alone" grep -q 'WARD_MAP(' out
"$ward" query --explain 'Function("keys!touch").CountBy(arg0)' >out 2>err
check "any number of keys: one that hands on" grep -q 'WARD_SPILL(' out
check "and that is said" grep -q 'a map of 4096 keys a thread; more go to its reader' out
summary
