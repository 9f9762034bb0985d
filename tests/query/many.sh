#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries of many processes: many.sh WARD BUSY TAIL. The program has a name that no other process has, so nobody else is
# probed.
. "$(dirname "$0")/../cli/lib.sh"
cd "$tmp"
name=many$$
cp "$2" "$name"
holds() { jq -se "$1" out >/dev/null; }
start() { # FILE THREADS SECONDS PAUSE: what it did is in the file at its end
	"./$name" "${@:2}" 2>"$1" &
	started+=($!)
}
attached() { jq -se "[.[] | select(.type == \"process\")] | length >= $1" out >/dev/null 2>&1; }
is_running() { jobs -rp | grep -qx "$1"; }
until_attached() { until attached "$1" || ! is_running "$query"; do sleep 0.05; done; }
end_query() {
	kill -INT "$query"
	status=0
	wait "$query" || status=$?
}
ask() { # TEXT: in the background
	"$ward" query --json --every 0.2 "$1" >out 2>err </dev/null &
	query=$!
	started+=($query)
}

# Two processes are there, a third one comes and goes, a fourth one stays.
start one 2 60 500
start two 2 60 500
ask "Function(\"$name!step\").GroupBy(caller)
	.Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg1), lo = g.Min(arg1) })"
until_attached 2
start three 1 1.5 500
three=$!
until_attached 3
wait $three
start four 1 60 500
until_attached 4
end_query
check "it ends well" [ "$status" = 0 ]
check "those that were there, and those that came" holds \
	'[.[] | select(.type == "process")] | length == 4 and all(.reason == null)'
check "they are one table, and its callers have names" holds '.[-1] | .complete and (.rows | length) == 1 and
	(.rows[0].Key | test("^many[0-9]+!work[+]"))'
check "what was over is still there" holds \
	'[.[] | select(.type == "rows") | .rows[0].n // 0] | . == sort and length > 3'
check "with what it did" [ "$(jq -s '.[-1].rows[0].n' out)" -gt "$(jq .count three)" ]
for pid in "${started[@]:0:2}"; do
	run detach -p "$pid"
	check "nothing is left in $pid" grep -q 'nothing' out err
done

# Rows that say which process they are of keep them apart; libc is at another address in each.
run query -q --json -d 0.5 "Function(\"$name!step\").CountBy(new { pid, process })"
check "a row for each process" holds \
	'.[-1].rows | length == 3 and (map(.pid) | unique | length) == 3 and all(.process == "'$name'")'
run query -q --json -d 0.5 "Function(\"libc.so.6!clock_nanosleep\").Process(\"$name\").CountBy(caller)"
check "a library of one program's processes: callers by their names" holds \
	'.[-1].rows | length == 1 and (.[0].caller | test("^libc"))'
run query -q --json -d 0.5 \
	"Function(\"libc.so.6!clock_nanosleep\").Where(process == \"$name\" && arg0 < 5).CountBy(process)"
check "by a condition" holds '.[-1].rows | length == 1 and .[0].process == "'$name'"'
run query -q --csv "Function(\"$name!step\").Where(arg0 == 3).Select(new { process, arg0 }).Take(5)"
printf 'process,arg0\r\n' >wanted
for i in 1 2 3 4 5; do printf '%s,3\r\n' "$name" >>wanted; done
check "rows of events" cmp -s wanted out
run query -q --json -d 1 "Function(\"$name!step\").Window(200.ms).GroupBy(pid)
	.Select(g => new { g.Key, n = g.Count(), hi = g.Max(arg1) })"
check "windows of many" holds '.[-1].rows | group_by(.window)[1:-1] | length > 2 and all(.[]; length == 3)'

# One that another tracer has is refused, and said to be missing.
cat >other.c <<P
#include <ward/probe.h>
struct ward_state { ward_count n; };
WARD_ENTRY("$name!step") void on(const struct ward_event *ev, struct ward_state *st) { st->n++; }
P
"$ward" trace -q --follow other.c -- "./$name" 1 60 500 >/dev/null 2>&1 &
tracer=$!
started+=($tracer)
traced=
while [ -z "$traced" ] && is_running $tracer; do
	for pid in $(pgrep -x "$name"); do
		grep -qs "^TracerPid:.*[1-9]" "/proc/$pid/status" && traced=$pid
	done
	sleep 0.05
done
run query --json -d 1 "Function(\"$name!step\").Count()"
check "who is refused is named" holds \
	'[.[] | select(.type == "process" and .pid == '$traced')] | length == 1 and .[0].reason != null'
check "and missing" holds '.[-1] | .complete == false and (.lacks | length) == 1 and (.lacks[0] |
	test("1 process was refused: '$name' \\('$traced'\\): "))'
kill -TERM $tracer
wait $tracer

# Sites that can't be probed are named here as well.
cp "$3" "tail$$"
"./tail$$" 2000000000 >/dev/null &
started+=($!)
run query --json -q -d 0.5 "Function(\"tail$$!tail_*\").CountBy(site)"
check "a site that can't be probed" holds \
	'.[-1].complete == false and any(.[]; .type == "skip" and (.reason | test("five bytes")))'

# Nobody is touched without need.
run query -d 0.3 "Function(\"no$name!step\").Count()"
check "nobody has it" [ "$status" = 0 ]
check "that is said" grep -q '^no process has it mapped yet' err
run query 'Function("*!read").Count()'
check "any module isn't asked for in all processes" [ "$status" = 2 ]
run query -p $$ "Function(\"$name!step\").Process(\"$name\").Count()"
check "either the text or the option says which" [ "$status" = 2 ]
summary
