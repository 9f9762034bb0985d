#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries on live programs: live.sh WARD EVENTS.
. "$(dirname "$0")/../cli/lib.sh"
events=$2
cd "$tmp"
cp "$events" iolib

# What a program is known to do: 12,000 reads, 750 of each of 16 sizes; 6,000 allocations.
cat >reads.wq <<'Q'
from io in cluster.Function("iolib!Read")
where io.time < Now.AddMinutes(5)
let size = io.Arg(2) // request size in bytes
group io by size/1024 into g
select new { sizeInKilobytes = g.Key, countOfReadIOs = g.Count() };
Q
cat >allocations.wq <<'Q'
cluster.Function(kernel, "ExAllocate*")
.Count(event => (event.time < Now.AddMinutes(5)));
Q
holds() { jq -se "$1" out >/dev/null; }
want() { # TEXT…: the rows, as CSV
	printf '%s\r\n' "$@" >wanted
	cmp -s wanted out
}
{ echo 'sizeInKilobytes,countOfReadIOs'; for i in $(seq 0 15); do echo "$i,750"; done; } | sed 's/$/\r/' >reads.csv
for query in reads.wq "$(cat reads.wq)"; do
	run query --csv "$query" -- ./iolib iolib 12000
	check "reads by size: ${query:0:8}" [ "$status" = 0 ]
	check "they are exact" cmp -s out reads.csv
done
status=0
"$ward" query --csv - -- ./iolib iolib 12000 <reads.wq >out 2>err || status=$?
check "from standard input" cmp -s out reads.csv
run query --csv -D kernel=iolib allocations.wq -- ./iolib iolib 12000
check "allocations" want count 6000

# The same without rewrites, and with the test in the probe.
for options in "--no-rewrite R1,R3,R5,R6,R9" "--no-rewrite R4" "--no-rewrite R1,R2,R4,R8,R11,R12" --exact; do
	run query --csv $options reads.wq -- ./iolib iolib 12000
	check "reads by size, $options" cmp -s out reads.csv
done
"$ward" query --explain reads.wq >plain 2>&1
"$ward" query --explain --exact reads.wq >exact 2>&1
check "whose numbers are merged" grep -qx -e '--- merged: threads, and processes' plain
check "the cost, and no guard" grep -qxE -e '--- proven: at most [0-9]+ instructions an event; 0 guards' plain
"$ward" query --explain 'Function("iolib!Read").CountBy(pid)' >apart 2>&1
check "rows of each process" grep -qx -e '--- merged: threads of a process' apart
"$ward" query --explain 'Function("iolib!Read").Select(tid)' >single 2>&1
check "single rows" grep -q -e '^--- not merged: ' single
check "a bound on time isn't tested in the probe" [ "$(grep -c 'ev->time' plain)" = 0 ]
check "with --exact it is" [ "$(grep -c 'ev->time' exact)" = 1 ]

# Results, times, texts, order.
run query --csv 'Return("iolib!Read").Where(ret > 15000).Count()' -- ./iolib iolib 12000
check "what was returned" want count 750
run query --json 'Return("iolib!Read").Stat(elapsed)' -- ./iolib iolib 100
check "times are nanoseconds" holds \
	'.[-1].rows[0] | .count == 100 and .min > 0 and .min < 1e7 and .min <= .mean and .mean <= .max'
run query --csv 'Function("iolib!open_path").CountBy(Str(0))' -- ./iolib iolib 12000
printf 'Key,count\r\n,3000\r\n/etc/group,3000\r\n/etc/passwd,3000\r\n"/tmp/a, ""b""",3000\r\n' >wanted
check "texts as keys" cmp -s wanted out
run query --csv 'Function("iolib!open_path").Where(Str(0) == "/tmp/a, \"b\"").Count()' -- ./iolib iolib 12000
check "a text that is compared" want count 3000
run query --csv \
	'from e in Function("iolib!Read") group e by e.arg2 >> 10 into g where g.Key > 3 orderby g.Key descending
	select new { kb = g.Key, bytes = g.Sum(x => x.arg2), half = g.Average(x => x.arg2) / 2,
	n = g.Count(x => x.arg2 % 2 == 0) } into r
	where r.kb < 14 select new { r.kb, r.n }' -- ./iolib iolib 112
check "having and order" want kb,n 13,4 12,4 11,4 10,4 9,4 8,4 7,4 6,4 5,4 4,4
run query --csv 'Function("iolib!Read").CountBy(arg2 / 1024).OrderByDescending(Key).Skip(1).Take(2)' -- ./iolib iolib 32
check "skip and take" want Key,count 14,2 13,2
run query --csv 'Functions("iolib!Read", "iolib!ExAllocatePool").GroupBy(new { site, kind = "x" })
	.Select(g => new { g.Key.site, g.Key.kind, n = g.Count() }).OrderBy(n)' -- ./iolib iolib 100
check "two sites, and a constant" want site,kind,n 'iolib!ExAllocatePool,x,50' 'iolib!Read,x,100'
run query --csv 'Function("iolib!Read").Where(arg2 > 1.MiB).CountBy(new { one = 1 })' -- ./iolib iolib 100
check "a group without events has no row" want one,count
run query --csv 'Function("iolib!Read").Where(arg2 > 1.MiB).Count()' -- ./iolib iolib 100
check "no events are counted as none" want count 0
run query 'Function("iolib!Read").Hist(arg2)' -- ./iolib iolib 96
check "a histogram" grep -q '\[8K, 16K)  *48  ' out

run query --json 'Functions("iolib!Read", "iolib!ExAllocatePool").CountBy(site)' -- ./iolib iolib 100
check "sites by their names for programs" holds \
	'.[-1].rows | map(.site) | sort == ["iolib!ExAllocatePool", "iolib!Read"]'

# Analysis behind the count: a column for each function, and clusters of the rows.
two='Functions("iolib!Read", "iolib!ExAllocatePool").CountBy(new { tid, site })'
run query --csv "$two.Pivot(1, site, count)" -- ./iolib iolib 100
check "a column for each function" want Key,iolib\!ExAllocatePool,iolib\!Read 1,50,100
run query --json "$two.Pivot(r => new { all = 1 }, r => r.site, r => r.count).Normalise().KMeans(3)" \
	-- ./iolib iolib 100
check "clusters, and their centres" holds '.[-1] | .complete and (.rows | length) == 1 and .rows[0].cluster == 0
	and .centroids[0].size == 1 and (.centroids[0]["iolib!Read"] * 1000 | round) == 894'
run query "$two.Pivot(1, site, count).KMeans(2)" -- ./iolib iolib 100
check "they have a heading" grep -q '^centroids$' out

# A page with charts: well-formed, and the same bytes for the same rows.
page() {
	run query -q --html "$1" \
		'Function("iolib!Read").GroupBy(arg2 / 1024).Select(g => new { g.Key, n = g.Count() })' \
		-- ./iolib iolib 96
}
page one.html && page two.html
check "a page" python3 -c \
	'import xml.dom.minidom as x; assert len(x.parse("one.html").getElementsByTagName("rect")) == 16'
check "it is the same again" cmp -s one.html two.html
check "it says what it cost" grep -q '96 events, of at most [0-9]* instructions each' one.html
run query -q --csv --html one.html 'Function("iolib!open_path").Select(new { path = Str(0), tid })' \
	-- ./iolib iolib 1200
check "a page of single events" python3 -c \
	'import xml.dom.minidom as x; assert len(x.parse("one.html").getElementsByTagName("tr")) == 1001'
check "it says how many more there are" grep -q '200 more rows are not in this page' one.html
run query -q --html one.html 'Function("iolib!Read").Where(arg2 > 1.MiB).Select(new { tid })' -- ./iolib iolib 10
check "a page of no events" grep -q 'No rows' one.html

# A heat map: with characters, and on a terminal with shades of grey.
heat='Function("iolib!Read").GroupBy(new { window = arg2 / 1024 })
	.Select(g => new { g.Key.window, sizes = g.Hist(arg2) })'
LC_ALL=C run query -q --plot heat "$heat" -- ./iolib iolib 12000
printf '%s\n' sizes '  8192 - 16383          ########' '   4096 - 8191      ####        ' \
	'   2048 - 4095    ##            ' \
	'   1024 - 2047   #              ' '         4 - 7  +               ' '         2 - 3  :               ' \
	'             1  .               ' '             0  .               ' '                0             15' >wanted
check "a heat map" cmp -s wanted out
LC_ALL=C.UTF-8 TERM=xterm script -qc "'$ward' query -q --plot heat '$heat' -- ./iolib iolib 12000" /dev/null >out
check "half blocks of grey" grep -q $'\e\\[38;5;242;48;5;238m▀' out
run query -q --plot heat "$two.Pivot(site, tid % 1, count)" -- ./iolib iolib 100
check "columns of Pivot" grep -q '^ *iolib!Read  #$' out
run query -q --plot heat 'Function("iolib!Read").Count()' -- ./iolib iolib 100
check "what is no heat map is a table" grep -q '^ *100$' out
run query --plot cold 'Function("iolib!Read").Count()' -- ./iolib iolib 100
check "there is no other plot" [ "$status" = 2 ]

# A sample that is scaled: of each tenth event.
run query --csv 'Function("iolib!Read").SampleEvery(10).GroupBy(arg2 / 8192)
	.Select(g => new { g.Key, n = g.Count() }).Scaled()' \
	-- ./iolib iolib 16000
check "as many as there were" [ "$(tail -n +2 out | tr -d '\r' | awk -F, '{ n += $2 } END { print n }')" = 16000 ]

# Texts that are computed of names.
run query --csv "$two.Where(site.ToString().Contains(\"Pool\")).Select(r => new { what = r.site + \": \" + r.count })" \
	-- ./iolib iolib 100
check "texts of names" want what 'iolib!ExAllocatePool: 50'

# Rows of events, as they come.
run query --csv 'Function("iolib!Read").Where(arg2 > 15364).Select(new { fd = (int)arg0, bytes = arg2 })' -- ./iolib \
	iolib 112
check "a row for each event" want fd,bytes 3,15365 3,15366
run query --csv 'Function("iolib!Read").Select(new { bytes = arg2, tid }).Where(bytes % 1024 == 1)
	.Select(bytes / 1024).Take(3)' \
	-- ./iolib iolib 12000
check "the first few" want value 1 8 15
run query --json 'Function("iolib!open_path").Select(new { path = Str(0), time, process, n = 7 })' -- ./iolib iolib \
	20000
check "all of them" holds \
	'[.[] | select(.type == "row") | .row] | length == 20000 and (map(.path) | unique | length) == 4
	and all(.process == "./iolib" and .n == 7) and (map(.time) | sort) == map(.time)'
check "their time is now" holds '[.[] | select(.type == "row") | .row.time / 1e9] | (now - .[0]) < 100 and now > .[-1]'
run query 'Function("iolib!Read").Where(arg2 > 1.MiB).Select(new { tid })' -- ./iolib iolib 100
check "none has its heading" grep -q '^  tid$' out

# Quantiles, samples, sets: sizes are i % 16 * 1024 + i % 7.
run query --csv 'Function("iolib!Read").Quantile(arg2, 0, 0.5, 0.999, 1, bits: 10)' -- ./iolib iolib 12000
check "quantiles at any rank" want p0,p50,p99_9,p100 0,7173,15363,15366
run query --csv 'Function("iolib!Read").GroupBy(arg2 / 8192)
	.Select(g => new { g.Key, m = g.Median(arg2), any = g.Any(arg2 < 3), all = g.All(arg2 < 8192) })' \
	-- ./iolib iolib 12000
check "of groups" want Key,m,any,all 0,3103,true,true 1,11391,false,false
check "how exact they are" grep -q '^quantiles are within 1.6 %$' err
run query --json 'Return("iolib!Read").Quantile(elapsed, 0.5, 0.99)' -- ./iolib iolib 1000
check "of times, in ns" holds '.[-1] | .rows[0] | 1 < .p50 and .p50 <= .p99 and .p99 < 1e7'
run query --csv 'Function("iolib!Read").SampleEvery(100).Count()' -- ./iolib iolib 12000
check "each hundredth" want count 120
check "of how many" grep -q '^SampleEvery(100) passed 120 of 12000 events$' err
run query --json 'Function("iolib!Read").Sample(100).Count()' -- ./iolib iolib 12000
check "one of a hundred" holds '.[-1] | .complete and (.rows[0].count | . > 80 and . < 160) and (.notes | length) == 1'
run query --csv 'Function("iolib!Read").AtMost(5, 1.h).Select(arg2)' -- ./iolib iolib 12000
check "at most five" want value 0 1025 2050 3075 4100
run query --csv 'Function("iolib!Read").Concat(Function("iolib!ExAllocatePool")).CountBy(site)' -- ./iolib iolib 100
check "two sources" want site,count iolib!ExAllocatePool,50 iolib!Read,100
run query --csv 'Function("iolib!Read").ToSet(arg2 / 4096)' -- ./iolib iolib 12000
check "which values" want Key 0 1 2 3
run query --csv 'Functions("iolib!Read", "iolib!ExAllocatePool").TopK(1, site)' -- ./iolib iolib 12000
check "what comes most" want site,at_least,at_most iolib!Read,12000,12000
run query --csv 'Function("iolib!Read").TopK(2, arg2 / 8192)' -- ./iolib iolib 12000
check "and how often" want Key,at_least,at_most 0,6000,6000 1,6000,6000

# Earlier events of the thread; what is made of all of them.
run query --csv 'Function("iolib!Read").Select(new { arg2, before = Previous(arg2), more = Delta(arg2),
	usual = MovingAverage(arg2), last = MovingAverage(arg2, 2), low = MovingAverage((int)arg2 - 8000, 2) })
	.Take(4)' \
	-- ./iolib iolib 12000
check "earlier events" want arg2,before,more,usual,last,low 0,0,0,0,0,-8000 1025,0,1025,0,0,-8000 \
	2050,1025,1025,64,512,-7487 \
	3075,2050,1025,188,1537,-6462
run query --csv 'Function("iolib!Read").Where(arg2 % 2 == 1).Where(Previous(arg2) != arg2).Count()' \
	-- ./iolib iolib 12000
check "of those that come there" want count 5142
run query --json 'Function("iolib!Read").Sum(Delta(time))' -- ./iolib iolib 12000
check "the time between them" holds '.[-1].rows[0].sum | . > 1000 and . < 1e9'
run query --csv 'Function("iolib!Read").AggregateBy(arg2 / 8192, new { n = 5, most = 9000, all = -1, some = 0, odd = 0,
	sum = 0 },
	(a, x) => new { n = a.n + 1, most = Max(x.arg2, a.most), all = a.all & (int)x.arg2, some = a.some | x.arg2,
	odd = x.arg2 ^ a.odd, sum = a.sum + x.arg2 })' \
	-- ./iolib iolib 112
check "seeds and elements" want Key,n,most,all,some,odd,sum 0,61,9000,0,7175,0,200872 1,61,15366,8192,15367,0,659624
run query --csv 'Function("iolib!Read").Where(arg2 > 1.MiB).Aggregate(7, (a, x) => Min(a, x.arg2))' -- ./iolib iolib 112
check "the seed alone" want aggregate 7

# Both ends of a call; pairs by a key within a thread.
run query --csv 'Call("iolib!nested").Count(e => e.entry.Read<long>(e.arg1) == (long)e.arg0 && e.entry.time < e.time)' \
	-- ./iolib pairs 0
check "memory as it was at the entry, 100 calls deep" want count 101
run query --csv 'Return("iolib!nested").Count(Read<long>(arg1) == (long)arg0)' -- ./iolib pairs 0
check "which it isn't at the end" want count 0
run query --csv 'Call("iolib!open_path").CountBy(e => e.entry.Str(0))' -- ./iolib iolib 12000
printf 'Key,count\r\n,3000\r\n/etc/group,3000\r\n/etc/passwd,3000\r\n"/tmp/a, ""b""",3000\r\n' >wanted
check "a text of the entry" cmp -s wanted out
run query --csv 'Call("iolib!open_path").Where(e => e.entry.Str(0) != "/etc/group").Count()' -- ./iolib iolib 12000
check "a text of the entry that is compared" want count 9000
run query --csv 'Call("iolib!Read").Where(ret > 15000).Count()' -- ./iolib iolib 12000
check "a call of whose entry nothing is asked" want count 750
run query --csv 'from a in Function("iolib!Read") join b in Return("iolib!Read") on a.sp equals b.sp
	where a.arg2 == b.ret select b.ret into r
	group r by 1 into g select new { n = g.Count() }' -- ./iolib iolib 12000
check "both ends, joined" want n 12000
run query --csv 'from a in Function("iolib!begin_request")
	join b in Function("iolib!end_request") on new { a.tid, a.arg0 } equals new { b.tid, b.arg0 }
	group b by a.Str(1) into g orderby g.Key select new { g.Key, n = g.Count(), bytes = g.Sum(e => e.arg1) }' \
	-- ./iolib pairs 100
check "pairs by a key" want Key,n,bytes 'read,50,5000' 'write,40,8000'
check "ends without a beginning are counted" grep -qx '1 end had no beginning' err
check "and beginnings without an end" grep -qx '10 beginnings had no end' err
run query --json 'Function("iolib!begin_request").Where(arg0 % 4 == 0)
	.Join(Function("iolib!end_request").Where(arg1 == 0), new { tid, arg0 }, new { tid, arg0 })
	.Hist(end.time - begin.time)' -- ./iolib pairs 100
check "conditions on each before they meet" holds \
	'.[-1] | (.lacks | length) == 1 and ([.rows[0].hist[].count] | add) == 25'

# What came before; some of each.
run query --csv 'Function("iolib!Read").Select(new { arg2, last = Previous(arg2) }).Before(2).Where(arg2 == 15366)' \
	-- ./iolib iolib 112
check "what came before" want arg2,last 13316,12291 14341,13316 15366,14341
run query --csv 'Function("iolib!Read").Chopstix(arg2 / 8192).CountBy(arg2 / 8192)' -- ./iolib iolib 12000
check "rare keys as well as others" want Key,count 0,13 1,13
run query --csv 'from e in Function("iolib!Read") where sample(e, State) group e by log2(e.arg2 | 1) / 14 into g
	select new { g.Key, n = g.Count() }' \
	-- ./iolib iolib 12000
check "as Fay writes it" want Key,n 0,14
run query --csv 'Function("iolib!Read").CountBy(new { low = Min(arg2 & 3, 2), log = Log2(arg2 / 1024) })' \
	-- ./iolib iolib 112
check "functions of numbers" grep -q '^2,3,24' out

# Pairs of events of two threads, joined by the reader.
run query --csv \
	'from a in Function("iolib!begin_request") join b in Function("iolib!end_request") on a.arg0 equals b.arg0
	where a.arg0 < 200 && a.tid != b.tid && b.time > a.time
	group b by a.Str(1) into g orderby g.Key
	select new { g.Key, n = g.Count(), bytes = g.Sum(e => e.arg1), most = g.Max(e => e.arg1),
	median = g.Median(e => e.arg1), kinds = g.Distinct(e => e.arg1) }' \
	-- ./iolib threads 1000
check "requests that another thread ends" want Key,n,bytes,most,median,kinds read,133,6567,99,49,100 \
	write,67,3333,99,50,67
run query --json 'Function("iolib!begin_request").Join(Function("iolib!end_request"), arg0, arg0)
	.Stat(end.time - begin.time)' -- ./iolib threads 16000
check "how long each took" holds \
	'.[-1] | .complete and (.rows[0] | .count == 16000 and .min > 0 and .min <= .mean and .max < 1e9)'
run query --csv 'Function("iolib!begin_request").Join(Function("iolib!end_request"), arg0, arg0)
	.Select(new { id = begin.arg0, what = begin.Str(1), other = end.tid != begin.tid }).Take(3)' \
	-- ./iolib threads 100
check "a row for each pair" want id,what,other 0,write,true 1,read,true 2,read,true
run query --csv 'Function("iolib!begin_request").Join(Function("iolib!end_request"), arg0, arg0)
	.Count(end.arg1 / (begin.arg0 - 5) < 1000)' -- ./iolib pairs 100
check "in one thread as well" want count 89
check "ends of nothing" grep -qx '1 end had no beginning' err
check "what never ended" grep -qx '10 beginnings had no end' err
check "what can't be computed" grep -q ': 1 event was left out: a division by zero' err

# What isn't there is said.
run query 'Function("iolib!Read").CountBy(100 / arg2)' -- ./iolib iolib 112
check "a division by zero" grep -q '^query:1:32: 1 event was left out: a division by zero$' out
divides='Function("iolib!Read").Where(7 % arg2 != 3)' # places on one line
run query --json "$divides.Select(new { part = 100 / (arg2 - 1025), rest = 1 / (arg2 - 2050) })" -- ./iolib iolib 112
check "by which one" holds '.[-1].lacks == ["query:1:30: 1 event was left out: a division by zero",
	"query:1:65: 1 event was left out: a division by zero", "query:1:93: 1 event was left out: a division by zero"]'
"$ward" query --explain reads.wq >plain 2>&1
check "lines of the probe are those of the text" [ "$(grep '^#line' plain | tr '\n' ' ')" = \
	'#line 4 "reads.wq" #line 1 "reads.wq" ' ]
run query --json 'Function("iolib!Read").CountBy(100 / arg2)' -- ./iolib iolib 112
check "and for programs" holds \
	'.[-1] | .complete == false and (.lacks | length) == 1 and ([.rows[].count] | add) == 111'
run query 'Function("iolib!Read").Keys(4).CountBy(arg2)' -- ./iolib iolib 12000
check "more keys than the map has room for" [ \
	"$(awk 'NR > 1 && NF == 2 && $1 ~ /^[0-9]+$/ { n += $2 } END { print n }' out)" = 12000 ]
check "and none is without room" [ "$(grep -c 'without room' out)" = 0 ]
run query --json 'Function("iolib!Read").Count()' -- ./iolib iolib 10
check "a whole answer says so" holds '.[-1] | .type == "rows" and .complete and .final and .rows == [{"count": 10}]'

run query --json -q 'Function("libc.so.6!openlog*").Count()' -- ./iolib iolib 10
check "parts that a compiler split off are no sites" holds '.[-1].complete'

# It ends by itself, and leaves nothing behind.
mkfifo input
sleep 1000 <input >/dev/null &
sleeper=$!
exec 9>input
run query --csv 'Function("libc.so.6!clock_nanosleep").Until(200.ms).Count()' -p $sleeper
check "a query ends by itself" want count 0
run query --csv \
	"from e in Function(\"libc.so.6!read\") where e.pid == $sleeper && e.time < Now.AddMilliseconds(200)
	group e by e.tid"
check "a process that the text names" want tid,count
run detach -p $sleeper
check "nothing is left" grep -q 'nothing' out err
kill $sleeper
exec 9>&-

# Errors.
run query 'Function("iolib!Nothing").Count()' -- ./iolib iolib 1
check "no such function" [ "$status" = 3 ]
run query 'Function("iolib!Read").Cuont()' -- ./iolib iolib 1
check "a text that is wrong" [ "$status" = 1 ]
check "it says where" grep -q '^query:1:24: error: there is no operator Cuont$' err
check "and what may be meant" grep -q '^hint: did you mean Count?$' err
run query missing.wq -- ./iolib iolib 1
check "no such file" [ "$status" = 2 ]
summary
