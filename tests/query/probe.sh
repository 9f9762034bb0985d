#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries of probes that were written by hand, and aggregates in C: probe.sh WARD EVENTS. What kept.c and sketch.c
# keep of 12,000 reads is known.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
events=$2
cd "$tmp"
cp "$events" iolib
cp "$here/kept.c" "$here/sketch.c" .

want() { # TEXT…: the rows, as CSV
	printf '%s\r\n' "$@" >wanted
	cmp -s wanted out
}
ask() { # QUERY: of kept.c at Read
	run query --csv "$1" -- ./iolib iolib 12000
}
holds() { jq -se "$1" out >/dev/null; }

# A module is as good as its source, and is there at once.
run cc -o kept.ward kept.c

# The state.
ask 'Probe("kept.c", "iolib!Read")'
check "a state is a row" want \
	reads,bytes_count,bytes_sum,bytes_min,bytes_max,bytes_mean 12000,12000,92195995,0,15366,7682.9995833333332
ask 'Probe("kept.c", "iolib!Read").Select(s => new { half = s.reads / 2 })'
check "which can be computed with" want half 6000

# Maps.
ask 'Probe("kept.ward", "iolib!Read").by_size.Where(key >= 13).OrderByDescending(key)
	.Select(r => new { r.key, r.calls, r.left, r.largest })'
check "a map's entries are rows" want key,calls,left,largest 15,750,-1500,15366 14,750,-1500,14342 13,750,-1500,13318
ask 'Probe("kept.ward", "iolib!Read").by_size.OrderByDescending(bytes_sum).Take(2).Select(new { key, bytes_max })'
check "a stat of each" want key,bytes_max 15,15366 14,14342
ask 'var p = Probe("kept.ward", "iolib!Read"); from r in p.plain where r.value > 5000 select r.key'
check "keys have names" want key LARGE
ask 'Probe("kept.ward", "iolib!Read").pairs.Where(low == 1 && handle == 3 && size < 2)'
check "parts of keys" want size,handle,low,value 0,3,1,321 1,3,1,322
ask 'Probe("kept.ward", "iolib!Read").most.Where(error == 0).OrderBy(key).Take(1)'
check "the most frequent keys" want key,value,error 0,750,0
run query --json 'Probe("kept.ward", "iolib!Read").by_caller' -- ./iolib iolib 12000
check "addresses have names" holds \
	'.[-1].rows == [{"key":.[-1].rows[0].key,"value":12000}] and (.[-1].rows[0].key | startswith("iolib!main+0x"))'
run query --json 'Probe("kept.ward", "iolib!Read").by_size.Where(key == 2).Select(sizes)' -- ./iolib iolib 12000
check "histograms" holds '.[-1].rows[0].value | length == 1 and .[0].lo == 2048 and .[0].count == 750'
run query --json --every 0.2 'Probe("kept.ward", "iolib!Read").plain' -- ./iolib iolib 12000
check "while it runs" holds '.[-1] | .final and .complete and (.rows | map(.value) | add) == 12000'
ask 'Probe("kept.ward", "iolib!Read").plain.Pivot("all", key, value)'
check "and analysed" want Key,LARGE,SMALL all,9000,3000

# Rings.
ask 'Probe("kept.c", "iolib!Read").rows.CountBy(size)'
check "a ring's records are events" want size,count LARGE,9000 SMALL,3000
ask 'Probe("kept.c", "iolib!Read", LARGER: 8192).rows.CountBy(size)'
check "values for the probe" want size,count LARGE,6000 SMALL,6000
ask 'from r in Probe("kept.ward", "iolib!Read").rows where r.size == "SMALL" group r by r.bytes / 1024 into g
	select new { g.Key, n = g.Count(), most = g.Max(x => x.bytes), fast = g.All(x => x.took < 1.h) }'
check "grouped by the reader" want Key,n,most,fast 0,750,6,true 1,750,1030,true 2,750,2054,true 3,750,3078,true
ask 'Probe("kept.ward", "iolib!Read").rows.Where(bytes > 15.KiB).Select(new { handle, bytes, size }).Take(2)'
check "rows of events" [ "$(tr -d '\r' <out | sed 1d | awk -F, '$1 == 3 && $2 > 15360 && $3 == "LARGE"' | wc -l)" = 2 ]
run query --json 'Probe("kept.ward", "iolib!Read").rows.Where(time > Now - 1.h && time < Now + 1.h).Count()' \
	-- ./iolib iolib 12000
check "times are instants" holds '.[-1] | .complete and .rows == [{"count":12000}]'
run query --json 'Probe("kept.ward", "iolib!Read").rows.Where(time > Now - 1.ms).Select(new { time, now = Now })
	.Take(1)' -- ./iolib iolib 12000
check "of this day" holds '[.[] | select(.row)][0].row | .time - .now | . > 0 and . < 1e12'
run query --json 'Probe("kept.ward", "iolib!Read").other_rows.Count()' -- ./iolib iolib 12000
check "what was overwritten is said" holds '.[-1] | .complete == false and .rows == [{"count":16}]
	and .lacks == ["11984 rows were overwritten before they were read"]'
ask 'Probe("kept.ward", "iolib!Read").rows.Where(100 / (bytes % 2) > 0).Count()'
check "divisions by zero" grep -q 'division by zero' err

# What can't be.
printf '#include <ward/probe.h>\nnonsense\n' >broken.c
ask 'Probe("broken.c").rows.Count()'
check "a probe with a mistake" [ "$status" = 1 ]
check "has its place, and that of its name" [ "$(grep -cE '^(.*broken.c:2:1|query:1:1): ' err)" = 2 ]
run query 'Probe("kept.ward", "iolib!Read").plain'
check "a probe is of one process" grep -q 'of one process' err
printf 'no module' >bad.ward
ask 'Probe("bad.ward").plain'
check "what is no module" grep -q "bad.ward can't be used" err

# Aggregates in C.
ask 'Function("iolib!Read").Use("sketch.c", arg2, arg0)'
check "how exact it is, is said" grep -q 'standard error of 6.5 %' err
columns=n,changes_count,changes_sum,changes_min,changes_max,changes_mean,largest,different,sizes,balance
check "an aggregate in C" [ "$(head -1 out | tr -d '\r')" = $columns ]
ask 'Function("iolib!Read").GroupBy(arg2 / 4096).Use("sketch.c", arg2, -1).Where(different >= 3 && different <= 5)
	.Select(new { key = Key, n, least = changes_min, largest, balance })'
check "of each group" want key,n,least,largest,balance \
	0,3000,-1,3078,3000 1,3000,-1,7174,3000 2,3000,-1,11270,3000 3,3000,-1,15366,3000
ask 'from e in Function("iolib!Read") group e by e.arg2 / 8192 into g orderby g.Key descending
	select new { g.Key, n = g.Count(), u = g.Use("sketch.c", e => e.arg2, e => e.arg0).largest,
	sum = g.Sum(e => e.arg0) }'
check "beside other ones" want Key,n,u,sum 1,6000,15366,18000 0,6000,7174,18000
ask 'Function("iolib!Read").Window(1.min).Use("sketch.c", arg2, arg0).Select(new { n, largest })
	.Pivot("all", "n", n)'
check "by window" [ "$(sed 1d out | tr -d '\r' | awk -F, '{ n += $2 } END { print n }')" = 12000 ]
run query --json 'Function("iolib!Read").Use("sketch.c", arg2, arg0).Select(sizes)' -- ./iolib iolib 12000
check "histograms of it" holds '[.[-1].rows[0].value[].count] | add == 12000'
run query --stats --csv 'Function("iolib!Read").Use("sketch.c", arg2, arg0).Select(n)' -- ./iolib iolib 12000
check "nothing is compiled twice" grep -q 'from the cache' err
sed 's/+= */-= /; s/s->n++/s->n += 2/' sketch.c >other.c && mv other.c sketch.c
ask 'Function("iolib!Read").Use("sketch.c", arg2, arg0).Select(n)'
check "unless it has changed" want value 24000
ask 'Function("iolib!Read").Use("sketch.c", arg2)'
check "too few values" grep -q 'too few arguments' err
printf 'struct loop { long n; };\nstatic void loop_add(struct loop *l, long v) { for (;;) l->n++; }\n' >loop.c
ask 'Function("iolib!Read").Use("loop.c", arg2)'
check "it is proven, or guarded, as any probe" grep -q '12000 events were left out: a loop' err
summary
