#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Times are shown in nanoseconds, microseconds and so on; counts of the time stamp counter only if they are asked for.
. "$(dirname "$0")/lib.sh"

export LC_ALL=C.UTF-8
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
field() { check "json: $1" json ".[] | select(.type == \"field\" and .field == \"$1\") | $2"; }
said() { check "text: $1" grep -qE "$1" "$tmp/out"; }
trace() { # options.. : the probe on a target, its results in $tmp/out
	run trace -o "$tmp/results" "$@" "$tmp/times.ward" -- "$targets/target" 1000 0
	check "trace: status" [ "$status" = 0 ]
	mv "$tmp/results" "$tmp/out"
}

cat >"$tmp/times.c" <<'C'
#include <ward/probe.h>
struct both {
	ward_stat_elapsed took;
	ward_log2_elapsed spread;
};
struct record {
	ward_elapsed took;
	ward_ns ns;
	int n;
};
struct ward_state {
	ward_elapsed total;
	unsigned long counts;
	ward_ns ns, short_ns;
	ward_stat_elapsed calls;
	WARD_QUANTILES_OF(ward_elapsed, 5) latency;
	WARD_LINEAR_OF(ward_ns, -1000, 1000, 4) linear;
	WARD_EWMA_OF(ward_ns, 3) mean;
	WARD_WINDOW_OF(ward_ns, 4) window;
	WARD_MAP(int, struct both, 8) by;
	WARD_MAP(int, ward_elapsed, 8) plain;
	ward_max_elapsed most;
	ward_min_ns least;
	ward_log2_ns spread;
	WARD_RING(struct record, 8) last;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long took = 1000000 + ev->arg[0] * 1000;

	st->total += took;
	st->counts += took;
	st->ns += 1500;
	st->short_ns++;
	ward_stat_add(&st->calls, took);
	ward_quantiles_add(&st->latency, took);
	ward_linear_add(&st->linear, 1500);
	ward_ewma_add(&st->mean, 2500);
	ward_window_add(&st->window, 40000);
	ward_stat_add(&ward_map_at(&st->by, 1)->took, took);
	ward_log2_add(&ward_map_at(&st->by, 1)->spread, took);
	ward_map_add(&st->plain, 1, took);
	ward_max_add(&st->most, took);
	ward_min_add(&st->least, 700);
	ward_log2_add(&st->spread, 5000000000);
	ward_ring_push(&st->last, ((struct record){took, 12345, 7}));
}
C
run cc --guards never "$tmp/times.c" -o "$tmp/times.ward"
check "cc: no guard is needed" [ "$status" = 0 ]

trace
said '^total +[0-9.]+ (µs|ms|s)$'
said '^counts +1499500000$'
said '^ns +1\.50 ms$'
said '^short_ns +1\.00 µs$'
said '^calls +count 1000  sum [0-9.]+ (ms|s)  min [0-9.]+ (µs|ms)  max [0-9.]+ (µs|ms)  mean [0-9.]+ (µs|ms)$'
said '^latency +count 1000  min [0-9.]+ (µs|ms)  p25 [0-9.]+ (µs|ms)  '
said '^least +700 ns$'
said '^mean +2\.50 µs$'
said '^window +40\.0 µs$'
said '^  \[1\.00 µs, 2\.00 µs\) +1000 '
said '^  \[4\.29 s, 8\.59 s\) +1000 '
said '^ +1 +1000 +[0-9.]+ (ms|s) +[0-9.]+ (µs|ms) +'
said '^ +[0-9.]+ (µs|ms) +12\.3 µs +7$'
said '^  key +value$'

LC_ALL=C trace
said '^window +40\.0 us$'
check "no µ where there is none" [ "$(LC_ALL=C tr -d '\n\t -~' <"$tmp/out" | wc -c)" = 0 ]

trace --cycles
said '^total +1499500000$'
said '^calls +count 1000  sum 1499500000  min 1000000  max 1999000  mean 1499500\.00$'
said '^ns +1\.50 ms$'
said '^  \[1M, 2M\) +'
said '^ +1 +1499500000$'

trace --json
field ns '.unit == "ns" and .value == 1500000'
field least '.unit == "ns" and .value == 700'
field counts '.unit == null and .value == 1499500000'
near='(.[] | select(.type == "end") | .counts_per_us) as $us | def near($ns; $counts): ($ns * $us / 1000 / $counts) | . > 0.9 and . < 1.1;'
check "json: elapsed" json "$near .[] | select(.field == \"total\" and .type == \"field\") | .unit == \"ns\" and near(.value; 1499500000)"
check "json: a stat" json "$near .[] | select(.field == \"calls\") | near(.sum; 1499500000) and near(.min; 1000000) and near(.max; 1999000) and near(.mean; 1499500) and .count == 1000"
check "json: quantiles" json "$near .[] | select(.field == \"latency\") | .quantiles | near(.[0].value; 1000000) and near(.[-1].value; 1999000)"
check "json: a map" json "$near .[] | select(.field == \"plain\" and .type == \"field\") | near(.entries[0].value; 1499500000)"
check "json: a histogram in a map" json "$near .[] | select(.field == \"by\" and .type == \"field\") | .entries[0].value.spread.buckets | near(.[0].lo; 524288) and near(.[-1].hi; 2097151) and ([.[].count] | add) == 1000"
check "json: records" json "$near [.[] | select(.type == \"record\") | .record.took] | near(.[-1]; 1999000)"
check "json: units" json '[.[] | select(.type == "unit") | [.field, .of, .unit]] == [["by", "value.took", "ns"], ["by", "value.spread", "ns"], ["plain", "value", "ns"], ["last", "record.took", "ns"], ["last", "record.ns", "ns"]]'
trace --json --cycles
field total '.unit == "counts" and .value == 1499500000'

# Moments: of records, and of members whose type says so.
cat >"$tmp/times.c" <<'C'
#include <ward/probe.h>
struct record {
	unsigned long time;
	int n;
};
struct other {
	unsigned short time;
	ward_time since;
};
struct ward_state {
	ward_time last, never;
	ward_min_time first;
	ward_max_time most;
	WARD_MAP(int, ward_time, 8) at;
	WARD_RING(struct record, 8) records;
	WARD_RING(struct other, 8) others;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->last = ev->time;
	ward_min_add(&st->first, ev->time);
	ward_max_add(&st->most, ev->time);
	*ward_map_at(&st->at, 1) = ev->time;
	ward_ring_push(&st->records, ((struct record){ev->time, 7}));
	ward_ring_push(&st->others, ((struct other){77, ev->time}));
}
C
run cc "$tmp/times.c" -o "$tmp/times.ward"
check "moments: cc" [ "$status" = 0 ]

trace
said '^last +[0-2][0-9]:[0-5][0-9]:[0-6][0-9][.][0-9]{6}$'
said '^first +[0-9:]{8}[.][0-9]{6}$'
said '^most +[0-9:]{8}[.][0-9]{6}$'
said '^never +0$'
said '^ +1  [0-9:]{8}[.][0-9]{6}$'
said '^ +[0-9:]{8}[.][0-9]{6}  7$'
said '^ +77  [0-9:]{8}[.][0-9]{6}$'
TZ=XYZ-5 trace
check "the time of the day is the place's" grep -qE "^last +0?$(TZ=XYZ-5 date +%-H):" "$tmp/out"
trace --cycles
said '^last +[0-9]+$'
said '^ +[0-9]+  7$'

before=$(date +%s%N)
trace --json
after=$(date +%s%N)
# Doubles have 53 bits: as far as jq's numbers go.
within=". / 1024 >= $before / 1024 - 1 and . / 1024 <= $after / 1024 + 1"
for member in last first most; do
	field $member ".unit == \"tsc\" and (.epoch_ns.value | $within)"
done
field never 'has("epoch_ns") == false and .value == 0'
field at ".entries[0].epoch_ns.value | $within"
check "json: a moment of each record" json "[.[] | select(.field == \"records\" and .type == \"record\") | (.epoch_ns | keys == [\"record.time\"]) and (.epoch_ns[\"record.time\"] | $within) and .record.n == 7] | length >= 8 and all"
check "json: the count is there as well" json '[.[] | select(.field == "records" and .type == "record") | .record.time] | length >= 8 and . == sort and .[0] > 1000000'
check "json: not what is called time only" json '[.[] | select(.field == "others" and .type == "record") | .record.time == 77 and (.epoch_ns | keys == ["record.since"])] | length >= 8 and all'
check "json: units of moments" json '[.[] | select(.type == "unit") | [.field, .of, .unit]] == [["at", "value", "tsc"], ["records", "record.time", "tsc"], ["others", "record.since", "tsc"]]'
trace --json --cycles
check "json: no moments with --cycles" json '[.[] | select(has("epoch_ns"))] == []'
summary
