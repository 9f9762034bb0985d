#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries by windows of time: windows.sh WARD BUSY [SECONDS MILLISECONDS]. What there is in all windows of eight busy
# threads is what there is in all.
. "$(dirname "$0")/../cli/lib.sh"
cp "$2" "$tmp/busy"
cd "$tmp"
holds() { jq -se "$1" out >/dev/null; }
did() { jq -e "$1" <(grep '^{' err) >/dev/null; }
run_busy() { run query -q --json "${@:1:$#-1}" -- ./busy 8 "${@: -1}"; }
rows='[.[] | select(.type == "rows")]'

# Windows: what has a difference is that of totals, all else is kept by window in the probe. Nothing is lost between
# them.
seconds=${3-1.5} length=${4-250}
run_busy "Function(\"busy!step\").Window($length.ms)"'.Keys(16).GroupBy(arg0)
	.Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg1),
	h = g.Hist(arg1), lo = g.Min(arg1 + 1), hi = g.Max(arg1 + 2), d = g.Distinct(arg1), m = g.Median(arg1) })' \
	"$seconds"
last='.[-1].rows'
# On a machine that is busy with other things the reader may be late; it says so.
check "windows are complete" holds 'all(.[-1].lacks[]; contains("read too late"))'
check "there are several, each with all keys" holds "$last"' | (map(.window) | unique | length) > 3 and
	(group_by(.window)[1:-1] | all(.[]; length == 8))'
check "they begin at multiples of their length" holds "$last | all(.[]; (.window / 1e6 | round) % $length == 0)"
n=$(jq -s "[$last[].n] | add" out) s=$(jq -s "[$last[].s] | add" out)
check "counts and sums of all add up to the total" did ".count == $n and .sum == $s"
check "so do histograms" holds "$last | ([.[].h[].count] | add) == $n"
lo=$(jq -s "[$last[].lo] | map(values) | min - 1" out) hi=$(jq -s "[$last[].hi] | map(values) | max - 2" out)
check "the least and the largest are those of the total" did ".min == $lo and .max == $hi"
check "different ones are of each window" holds "$last"' | group_by(.window)[1:-1] | all(.[][]; .d > 800 and .d < 1200)'
run_busy 'Function("busy!step").Window(200.ms).Max(arg1)' 1
check "of a thing that has no difference alone" holds \
	'.[-1] | (.rows | length) > 3 and all(.rows[1:-1][]; .max == 1999)'
run_busy 'Function("busy!step").Window(400.ms, 200.ms).GroupBy(arg0 % 2)
	.Select(g => new { g.Key, n = g.Count(), h = g.Hist(arg1), hi = g.Max(arg1) })' 1
check "sliding ones overlap" holds \
	"$last"' | (map(.window) | unique) as $w | all(range(1; $w | length); $w[.] - $w[. - 1] == 200000000)'
n=$(jq -s "[$last[].n] | add" out)
check "each event is in two of them, but the last" did ".count * 2 >= $n and .count < $n"
for rewrite in "" "--no-rewrite R7"; do
	run_busy $rewrite 'Function("busy!step").GroupBy(time / 200.ms)
		.Select(g => new { g.Key, n = g.Count(), s = g.Sum(arg1) })' 1
	n=$(jq -s "[$last[].n] | add" out)
	check "a key of time by a period $rewrite" did ".count == $n"
	check "it is a number of periods $rewrite" holds \
		"$last"' | length > 3 and (.[0].Key / 5 - now | . > -100 and . < 100)'
done
run_busy 'Function("busy!step").Window(200.ms).Count().Rate()' 1
check "rates are of seconds" holds \
	"$last"' | map(.count) | (add / length) as $mean | all(.[1:-1][]; . > $mean / 5 and . < $mean * 5)'
run_busy --every 0.2 'Function("busy!step").Window(200.ms).Count()' 1
check "windows are printed when they are over, once" holds "$rows"' | length > 3 and
	([.[:-1][].rows[].window] | length == (unique | length)) and .[-1].final'
check "and are what they are at the end" holds "$rows"' | [.[:-1][].rows[]] - .[-1].rows == []'
# What was overwritten before it could be read is said; counts, which have a difference, are right all the same. There
# are more keys in each window than the eight that there is room for.
room='Function("busy!step").Window(200.ms).Keys(1).GroupBy(arg1 % 64)'
run query -q --json "$room.Select(g => new { g.Key, n = g.Count(), hi = g.Max(arg1) })" -- ./busy 1 0.8 1000
n=$(jq -s "[$last[].n] | add" out)
check "windows that made room" holds \
	'.[-1] | .complete == false and any(.lacks[]; test("^[0-9]+ events were in windows that made room"))'
check "counts don't depend on it" did ".count == $n"
run query --deltas 'Function("busy!step").Window(1.s).Count()' -- ./busy 1 0.1
check "deltas of windows" [ "$status" = 2 ]

summary
