#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries of two tables: tables.sh WARD EVENTS. `iolib` makes 12,000 reads and 6,000 allocations, which are known.
. "$(dirname "$0")/../cli/lib.sh"
events=$2
cd "$tmp"
cp "$events" iolib

want() { # TEXT…: the rows, as CSV
	printf '%s\r\n' "$@" >wanted
	cmp -s wanted out
}
ask() {
	run query --csv "$@" -- ./iolib iolib 12000
}
holds() { jq -se "$1" out >/dev/null; }
reads='Function("iolib!Read")' allocations='Function("iolib!ExAllocatePool")'

# Join.
ask "$reads.CountBy(arg2 / 4096).Join($allocations.CountBy(arg0 / 4096), a => a.Key, b => b.Key)"
check "rows of one key" want Key,count,other_Key,other_count 0,3000,0,2048 1,3000,1,2048 2,3000,2,1904
ask "from r in $reads.CountBy(arg2 / 4096)
	join a in $allocations.GroupBy(arg0 / 4096).Select(g => new { g.Key, most = g.Max(x => x.arg0) })
	on r.Key equals a.Key
	where a.most > 5000 orderby r.Key descending select new { key = r.Key, reads = r.count, a.most }"
check "in the query form" want key,reads,most 2,3000,11999 1,3000,8191
ask "$reads.CountBy(arg2 / 4096)
	.Join($allocations.CountBy(arg0 / 4096), Key, Key, (x, y) => new { x.Key, n = x.count + y.count }).Top(1)"
check "a function of both rows" want Key,n 0,5048
ask "$reads.CountBy(arg2 / 8192).Join($reads.CountBy(new { half = arg2 / 8192, quarter = arg2 / 4096 }), Key, half)
	.Select(new { quarter, count, of = other_count })"
check "several rows of a key" want quarter,count,of 0,6000,3000 1,6000,3000 2,6000,3000 3,6000,3000
ask 'Function("iolib!open_path").CountBy(Str(0, 16)).Join(Return("iolib!open_path").CountBy(ret), count, count).Count()'
check "what rows don't have is refused by its name" grep -q 'Count of rows' err
run query --json "$reads.CountBy(caller).Join(Return(\"iolib!Read\").CountBy(caller), caller, caller)" \
	-- ./iolib iolib 12000
check "addresses meet by their names" \
	holds '.[-1] | .complete and .rows[0].count == 12000 and .rows[0].other_count == 12000'

# Diff.
ask "$reads.CountBy(arg2 / 1024).Where(Key < 3)
	.Diff(Return(\"iolib!Read\").Where(ret > 2000 && ret < 5000).CountBy(arg2 / 1024))"
check "a key that one of both has" want Key,count,other_count,count_change \
	0,750,,750 1,750,,750 2,750,750,0 3,,750,-750 4,,750,-750
ask "$reads.Stat(arg2).Diff($allocations.Stat(arg0)).Select(new { count_change, sum_change, min_change, max_change })"
check "each number" want count_change,sum_change,min_change,max_change 6000,56195995,-1,3367
ask "$reads.CountBy(arg2 % 4).Diff($allocations.CountBy(arg0 % 4)).OrderByDescending(count_change).Take(1)"
check "ordered by the change" [ "$(wc -l <out)" = 2 ]
run query --json --every 0.2 "$reads.CountBy(arg2 / 4096).Diff($reads.CountBy(arg2 / 4096))" -- ./iolib iolib 12000
check "while it runs" holds '.[-1].rows | length == 4 and all(.count_change == 0 and .count == 3000)'
run query --deltas "$reads.Count().Diff($reads.Count())" -- ./iolib iolib 12000
check "deltas of two tables are refused" grep -q 'here are two' err

# What either lacks is said.
ask "$reads.CountBy(arg2 / 4096).Diff($reads.CountBy(arg2 / (arg0 - 3)))"
check "events that the second one leaves out" grep -q 'query:1:.*: 12000 events were left out: a division by zero' err
ask "$reads.Count().Diff($reads.Where(100 / (arg2 % 2) > 0).Count())"
check "some of them" grep -q 'query:1:.*left out: a division by zero' err
ask "$reads.Count().Diff($reads.Sample(10).Count())"
check "a sample of the second one" grep -q 'Sample(10) passed' err
summary
