#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Samples, the most frequent, and earlier events behind a join of the reader, and quantiles of numbers with a sign:
# earlier.sh WARD EVENTS. 12,000 requests are begun by one thread and ended by another one, in their order.
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
about() { # LEAST MOST: the only number
	awk -F, -v least="$1" -v most="$2" 'NR == 2 { exit !($1 + 0 >= least && $1 + 0 <= most) }' out
}

ask '.Count()'
check "each request is a pair" want count 12000
ask '.SampleEvery(10).Count()'
check "each tenth" want count 1200
check "is said" grep -q 'SampleEvery(10) passed 1200 of 12000 events' err
ask '.SampleEvery(10).Sum(end.arg1 - end.arg1 % 10).Scaled()'
check "is scaled" want sum 540000
ask '.Sample(10).Count()'
check "one of ten at random" about 900 1500
ask '.Chopstix(begin.arg0 % 2).Count()'
check "the 1st, 2nd, 4th, 8th … of each key" want count 26
ask '.AtMost(5, 1.d).Count()'
check "five in a day" want count 5
ask '.TopK(2, end.arg1 % 3)'
check "the most frequent" want Key,at_least,at_most 0,4080,4080 1,3960,3960
ask '.Where(Delta(end.arg0) != 1).Count()'
check "one comes behind the other" want count 1
ask '.Where(Previous(end.arg1) > end.arg1).Count()'
check "each hundredth is less than the one before" want count 119
ask '.Where(MovingAverage(end.arg1, 100) == 49).Count()'
check "the mean of the last hundred" about 11850 11950
ask '.Where(end.arg0 / Delta(end.arg0) > 0).Count()'
check "a division of what came before" grep -q 'query:1:.*: 1 event was left out: a division by zero' err

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
