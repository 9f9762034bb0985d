#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stacks in queries: stacks.sh WARD STACKED. What each stack has is exact, however deep it is, and where several
# processes have it at other addresses.
. "$(dirname "$0")/../cli/lib.sh"
cd "$tmp"
name=stacked$$
cp "$2" "$name"
holds() { jq -se "$1" out >/dev/null; }
ask() { run query -q --json "$1" -- "./$name" </dev/null; }
at='\\+0x[0-9a-f]+'
main="$name!main$at"
# rows with a stack, n and s: four stacks, each as often as it is in so many processes
are_exact() {
	holds ".[-1] | .complete and (.rows | length == 4 and
		([.[] | select(.stack | test(\"$main;$name!left$at;$name!step\"))] | length == 1 and
			.[0].n == 3 * $1 and .[0].s == 3 * $1) and
		([.[] | select(.stack | test(\"$main;$name!right$at;$name!step\"))] | length == 1 and
			.[0].n == 5 * $1 and .[0].s == 50 * $1) and
		([.[] | select(.stack | test(\"$main(;$name!deep$at){60,61};$name!step\"))] |
			(map(.stack) | unique | length) == 2 and (map(.n) | sort) == [$1, 2 * $1] and
			(map(.s) | sort) == [100 * $1, 200 * $1]))"
}
sums='GroupBy(stack).Select(g => new { stack = g.Key, n = g.Count(), s = g.Sum(arg0) })'

ask "Function(\"$name!step\").$sums"
check "one process: each stack is exact" are_exact 1
ask "Function(\"$name!step\").Window(10.min).$sums"
check "windows: each stack is exact" holds '[.[] | select(.type == "rows").rows[].n] | add == 11'
ask "Function(\"$name!step\").CountBy(new { stack, arg0 })"
check "beside a number" holds '.[-1].rows | length == 4 and (map(select(.arg0 == 100)) | length == 2)'
ask "Return(\"$name!step\").CountBy(stack)"
check "where the function returns" holds ".[-1].rows | length == 4 and all(.stack | test(\";$name!step\"))"

# Rows of events, whose names end with the probed function however long they are.
ask "Function(\"$name!step\").Select(new { stack, arg0 })"
check "rows of events" holds "[.[] | select(.type == \"row\").row] | length == 11 and
	all(.stack | test(\";$name!step\")) and (map(.stack) | unique | length == 4)"




run query -q "Function(\"$name!step\").CountBy(new { stack, arg0 })" -- "./$name" </dev/null
check "a table: the stack is last" grep -Eq '^ +arg0 +count  stack$' out
callers=$(grep -A2 -E "^ +10 +5  $name!step\$" out | tail -2 | sed 's/+0x.*//; s/ *//' | tr '\n' ' ')
check "a table: one function below the other" [ "$callers" = "$name!right $name!main " ]
check "a table: all of them" [ "$(grep -Ec "^ +$name!deep$(sed 's/\\\\/\\/g' <<<"$at")\$" out)" = 121 ]
run query -q --csv "Function(\"$name!step\").CountBy(stack)" -- "./$name" </dev/null
check "CSV has them all" [ "$(grep -Ec "(;$name!deep[^;]*){60}" out)" = 2 ]
run query -q "Function(\"$name!step\").Select(new { stack, arg0 })" -- "./$name" </dev/null
check "rows of events, as a table" [ "$(grep -Ec "^ +[0-9]+  $name!step\$" out)" = 11 ]

# For viewers: the parts of the key are frames, the count or sum is the weight.
run query -q --export folded:folded --export pprof:pprof "Function(\"$name!step\").CountBy(new { stack, arg0 })" \
	-- "./$name" </dev/null
check "exported: status" [ "$status" = 0 ]
check "exported: folded" grep -Eqx "arg0=10;$name!_start;.*;$name!main;$name!right;$name!step 5" folded
check "exported: all of it" [ "$(awk '{ n += $NF } END { print NR, n }' folded)" = "4 11" ]
check "exported: pprof" grep -Eq "^ +5: [0-9 ]+\$" <(go tool pprof -raw pprof 2>&1)
for refused in 'perfetto:x CountBy(stack) takes_no_stacks' 'folded:x Select(new{stack,arg0}) no_rows_of_single_events' \
	'folded:x GroupBy(stack).Max(arg0) wants_a_count_or_a_sum'; do
	read -r file rest why <<<"$refused"
	run query --export "$file" "Function(\"$name!step\").$rest" -- "./$name" </dev/null
	check "exported: $rest to $file is refused" [ "$status" = 2 ]
	check "exported: and why" grep -q "${why//_/ }" err
done

# The same program twice, at other addresses.
in_two() { # a query
	for i in 1 2; do
		mkfifo "go$i"
		"./$name" <"go$i" &
		started+=($!)
		pids[i]=$!
	done
	exec 6>go1 7>go2
	"$ward" query --json "$1" >out 2>err </dev/null &
	query=$!
	started+=($query)
	until attached || ! kill -0 $query 2>/dev/null; do sleep 0.05; done
	echo >&6
	echo >&7
	exec 6>&- 7>&-
	wait "${pids[@]}"
	kill -INT $query
	wait $query
	rm -f go1 go2
}
attached() { jq -se '[.[] | select(.type == "process")] | length == 2' out >/dev/null 2>&1; }
in_two "Function(\"$name!step\").$sums"
check "two processes: a stack is one key, by its names" are_exact 2
in_two "Function(\"$name!step\").Select(new { stack, arg0, pid })"
check "two processes: rows of events have each one's names" holds "[.[] | select(.type == \"row\").row] |
	length == 22 and
	all(.stack | test(\"$main.*;$name!step\")) and (map(.pid) | unique | length == 2) and
	(map(.stack) | unique | length == 4)"
summary
