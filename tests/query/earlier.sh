#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Samples, the most frequent, and earlier events behind a join of the reader; texts as keys of pairs; quantiles of
# numbers with a sign: earlier.sh WARD EVENTS. 12,000 requests are begun by one thread and ended by another one, in
# their order.
. "$(dirname "$0")/../cli/lib.sh"
events=$2
cd "$tmp"
cp "$events" iolib

want() { # TEXT…: the rows, as CSV
	printf '%s\r\n' "$@" >wanted
	cmp -s wanted out
}
ask() { # OPERATORS: of the requests
	run query --csv "Function(\"iolib!begin_request\").Join(Function(\"iolib!end_request\"), arg0, arg0)$1" \
		-- ./iolib threads 12000
}
# Time stamps of two processors are in order but for what these do out of turn: a few of 12,000 pairs may be missed.
about() { # LEAST MOST: the only number
	awk -F, -v least="$1" -v most="$2" 'NR == 2 { exit !($1 + 0 >= least && $1 + 0 <= most) }' out
}

ask '.Count()'
check "each request is a pair" about 11990 12000
ask '.SampleEvery(10).Count()'
check "each tenth" about 1199 1200
check "is said" grep -qE 'SampleEvery.10. passed (1199|1200) of 1[12][0-9]{3} events' err
ask '.SampleEvery(10).Sum(end.arg1 - end.arg1 % 10).Scaled()'
check "is scaled" about 535000 545000
ask '.Sample(10).Count()'
check "one of ten at random" about 900 1500
ask '.Chopstix(begin.arg0 % 2).Count()'
check "the 1st, 2nd, 4th, 8th … of each key" want count 26
ask '.AtMost(5, 1.d).Count()'
check "five in a day" want count 5
ask '.TopK(2, end.arg1 % 3)'
check "the most frequent, exactly" awk -F, '{ gsub(/\r/, "") }
	NR > 1 && ($1 != NR - 2 || $2 != $3 || $2 < 4190 - 120 * NR + 120 || $2 > 4320 - 120 * NR) { bad = 1 }
	END { exit bad || NR != 3 }' out
ask '.Where(Delta(end.arg0) != 1).Count()'
check "one comes behind the other" about 1 12
ask '.Where(Previous(end.arg1) > end.arg1).Count()'
check "each hundredth is less than the one before" about 118 125
ask '.Where(MovingAverage(end.arg1, 100) == 49).Count()'
check "the mean of the last hundred" about 11850 11950
ask '.Where(end.arg0 / Delta(end.arg0) > 0).Count()'
check "a division of what came before" grep -q 'query:1:.*: 1 event was left out: a division by zero' err

# Windows: all of them together have each pair once.
all() { # LEAST MOST COLUMN: the sum of that column
	awk -F, -v least="$1" -v most="$2" -v column="$3" 'NR > 1 { n += $column }
		END { exit !(n >= least && n <= most) }' out
}
ask '.Window(100.ms).Count()'
check "windows of pairs" all 11990 12000 2
ask '.Window(100.ms).GroupBy(end.arg1 % 2).Select(g => new { g.Key, n = g.Count(), most = g.Max(x => x.end.arg1) })'
check "by key" all 11990 12000 3
check "with their largest number" awk -F, '{ gsub(/\r/, "") } NR > 1 && $3 > 100 && $4 != 98 + $2 { exit 1 }' out
ask '.Window(200.ms, 100.ms).Count()'
check "sliding: each is in two, but for the last" all 11990 24000 2
cp "$(dirname "$0")/kept.c" .
run query --csv 'Probe("kept.c", "iolib!Read").Window(100.ms).rows.GroupBy(size)
	.Select(g => new { g.Key, n = g.Count() })' \
	-- ./iolib iolib 12000
check "windows of a ring" all 12000 12000 3
run query --json --every 0.2 'Probe("kept.c", "iolib!Read").rows.Window(100.ms).Max(bytes)' -- ./iolib iolib 12000
jq -se '.[-1] | .final and .complete and (.rows | map(.max) | max) == 15366' out >/dev/null
check "the last line has all" [ $? = 0 ]

# Texts as keys: of one thread in the probe, of any in the reader.
paths='Function("iolib!open_path")' returns='Return("iolib!open_path")'
printf '%s\r\n' Key,count ,3000 /etc/group,3000 /etc/passwd,3000 '"/tmp/a, ""b""",3000' >wanted
run query --csv "$paths.Join($returns, new { tid, p = Str(0, 16) }, new { tid, p = Str(0, 32) }).CountBy(end.Str(0))" \
	-- ./iolib iolib 12000
check "a text as a key of one thread's events" cmp -s wanted out
run query --csv "$paths.Join($returns, Str(0), Str(0)).CountBy(begin.Str(0))" -- ./iolib iolib 12000
check "and of any thread's" cmp -s wanted out
run query --csv "$paths.Where(Str(0).StartsWith(\"/etc\"))
	.Join($returns, new { p = Str(0), n = 1 }, new { p = Str(0), n = 1 }).Count()" -- ./iolib iolib 12000
check "with another part, where ends have no beginning" grep -q '6000 ends had no beginning' err
run query --csv "$paths.Join($returns, new { tid, p = Str(0, 8) }, new { tid, p = Str(0, 8) }).Count()" \
	-- ./iolib iolib 12000
check "as far as they are read" want count 12000

# Numbers with a sign: reads of i % 16 * 1024 + i % 7 bytes, less 8000.
for i in $(seq 0 11999); do echo $((i % 16 * 1024 + i % 7 - 8000)); done | sort -n >sizes
run query --csv 'Return("iolib!Read").Quantile((long)ret - 8000, 0, 0.1, 0.25, 0.5, 0.51, 0.9, 1)' \
	-- ./iolib iolib 12000
sed 1d out | tr -d '\r' | tr , '\n' >got
for line in 1 1200 3000 6000 6120 10800 12000; do sed -n "${line}p" sizes; done >right
check "quantiles of numbers with a sign" [ "$(paste got right | awk '
	{ off = $1 - $2; size = $2 < 0 ? -$2 : $2; far += off > size * 0.017 + 1 || -off > size * 0.017 + 1 }
	END { print NR, far }')" = "7 0" ]
check "the least and the largest are exact" [ "$(sed -n '1p;$p' got | paste -s -d ' ')" = "-8000 7366" ]
run query --csv 'Return("iolib!Read").Where(ret < 5).Median(-(long)ret)' -- ./iolib iolib 12000
check "all below 0" about -2 -2
run query --csv 'Return("iolib!Read").Where(ret > 1023 && ret < 1025).Median((long)ret)' -- ./iolib iolib 12000
check "none below 0" about 1024 1024
summary
