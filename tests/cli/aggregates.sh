#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kind of field, shown to people and to programs.
. "$(dirname "$0")/lib.sh"

probe=$tmp/aggregates.ward
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
field() { # name, then a condition on its line
	check "json: $1" json ".[] | select(.type == \"field\" and .field == \"$1\") | $2"
}
said() { check "text: $1" grep -qE "$1" "$tmp/out"; }

run cc --guards never "$here/aggregates.c" -o "$probe"
check "cc: no guard is needed" [ "$status" = 0 ]
check "cc: and nothing to be warned of" [ ! -s "$tmp/err" ]
run info "$probe"
for line in 'by_pair  *map  *[0-9]+  16 slots' 'ring  *ring  *[0-9]+  8 slots' 'flight  *flight' \
	'distinct  *distinct  *1024' 'title\[0\.\.1\]  *text  *16' 'stat  *stat  *40'; do said "^$line"; done

# Elements of an array are one line, member by member; what differs is none.
cat >"$tmp/arrays.c" <<'END'
#include <ward/probe.h>
struct ward_state {
	struct { ward_count n; int v[2]; ward_max most; } row[20];
	ward_count one[1], grid[2][3];
	WARD_MAP(int, ward_count, 4) maps[2];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->row[ev->arg[0] % 20].n++;
	ward_map_add(&st->maps[ev->arg[0] & 1], 1, 1);
}
END
run cc "$tmp/arrays.c" -o "$tmp/arrays.ward"
run info "$tmp/arrays.ward"
for line in 'row\[0\.\.[0-9]+\]\.n  *count  *[0-9]+' 'one\[0\]  *count  *8' 'maps\[0\.\.1\]  *map  *[0-9]+  4 slots' \
	'grid\[0\.\.1\]\[2\]  *count  *16'; do said "^$line$"; done
check "text: a line for each member" [ "$(grep -c '^row' "$tmp/out")" = 4 ]

run trace --json -o "$tmp/results" "$probe" -- "$targets/target" 1000 0
check "trace: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
field least '.kind == "min" and .value == 5'
field most '.kind == "max" and .value == 999'
field stat '.kind == "stat" and .count == 1000 and .sum == 499500 and .min == 0 and .max == 999 and .mean == 499.5'
field never '.count == 0 and .min == null and .mean == null'
field minus '.sum == -499500 and .min == -999 and .max == 0 and .mean == -499.5'
field linear '[.buckets[] | .count] == [10, 100, 100, 100, 690] and .buckets[1] == {"lo":10,"hi":109,"count":100} and .buckets[4].lo == 310'
field quantiles '.count == 1000 and .error == 0.015625 and ([.quantiles[] | select(.rank == 0.5) | .value] | .[0] > 490 and .[0] < 510)'
field ewma '.kind == "mean" and .value == 7 and .count == 1000'
field window '.value == 995.5'
field sample '.kind == "gate" and .passed == 100 and .refused == 900'
field distinct '.value == 2 and .error > 0.03 and .error < 0.04'
field 'title[0]' '.kind == "text" and .value == ""'
field 'title[1]' '.value | test("^a.*b$")'
field by_pair '.kind == "map" and (.entries | length) == 4 and .lost == 0 and .other == null'
field by_pair '[.entries[] | .key.rest] == [-1, 0, 1, 2] and .entries[2].key.name == "<\nc" and .entries[2].value.calls == 250 and .entries[2].value.stat.min == 2 and ([.entries[2].value.sizes.buckets[] | .count] | add) == 250'
field full '(.entries | length) == 2 and .lost == 500 and .other == 500 and ([.entries[] | .value] == [250, 250])'
field by_half '[.entries[] | [.key, (.value.buckets | map(.count))]] == [[0, [125, 125]], [1, [125, 125]]] and (.other.buckets | map(.count)) == [250, 250]'
field recent '.evicted == 996 and ([.entries[] | .key] | sort) == [996, 997, 998, 999]'
field top '[.entries[] | [.key, .value, .error]] == [[0, 250, 0], [1, 250, 0], [2, 250, 0], [3, 250, 0]]'
field chopstix '.events == 1000 and .entries == [{"key":9,"value":512}]'
field ring '.records >= 8 and .records + .lost == 1000'
field all '.records == 1000 and .lost == 0'
field flight '.records == 12 and .missed == 8'
check "json: records" json '[.[] | select(.type == "record" and .field == "ring") | .record.number] | .[-8:] == [992, 993, 994, 995, 996, 997, 998, 999]'
check "json: all records once" json '[.[] | select(.type == "record" and .field == "all") | .record.value] == [range(1000)]'
check "json: an address" json '[.[] | select(.type == "record" and .field == "ring") | .record.double_of_it] | .[-8] == 1984'
check "json: nothing that a terminal would act on" [ "$(tr -d '\n -~\200-\377' <"$tmp/out" | wc -c)" = 0 ]
check "json: and the text as it is" json '[.[] | select(.type == "record" and .field == "ring") | .record.text | test("\u001b\\[1m")] | all'
check "json: dumps" json '[.[] | select(.type == "record" and .field == "flight") | [.dump, .record.number]] == [[1, 96], [1, 97], [1, 98], [1, 99], [2, 196], [2, 197], [2, 198], [2, 199], [null, 996], [null, 997], [null, 998], [null, 999]]'

run trace -o "$tmp/results" "$probe" -- "$targets/target" 1000 0
check "trace, text: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "text: nothing that a terminal would act on" [ "$(tr -d '\n\t -~\200-\377' <"$tmp/out" | wc -c)" = 0 ]
said '^least      5$'
said '^stat       count 1000  sum 499500  min 0  max 999  mean 499\.50$'
said '^never      count 0$'
said '^minus      count 1000  sum -499500  min -999  max 0  mean -499\.50$'
said '^quantiles  count 1000  min 0  p25 .* p99\.9 99[0-9]  max 999  \(within 1\.6 %\)$'
said '^  sizes$'
said '^ewma       7\.00$'
said '^sample     100 of 1000 passed$'
said '^title\[1\]   *a[^ ]*b$'
said '^distinct   about 2 \(standard error 3\.2 %\)$'
said '^  below 10 +10  '
said '^  \[10, 110\) +100  '
said '^  310 and above +690  '
said '^  rest  name +calls  stat\.count  stat\.sum  stat\.min  stat\.max  stat\.mean$'
said '^    -1  <\\na +250 +250 +124500 +0 +996 +498\.00$'
said '^  \[512, 1K\) +122  '
said '^  other +500$'
said '^  500 lost: the map was full$'
said '^  996 made room for others$'
said '^  key  at most  error$'
said '^    0      250      0$'
said '^  of 1000 events$'
said '^ +992 +0x7c0 +text.*\[1m$'
said '^  992 overwritten$'
said '^all$'
said '^ +2 +199 +0x18e  '
said '^  8 triggers missed$'

# Numbers of enumerations by their names: of a field, of keys with parts and without, and in records; those without a
# name as numbers. Programs get the numbers, and the names once.
cat >"$tmp/enums.c" <<'C'
#include <ward/probe.h>
enum size { SMALL, MIDDLE, LARGE };
enum rights { NONE, READ = 1, WRITE = 2, EXEC = 4 };
enum level { LOW = -1, SAME, HIGH = 200 };
struct both {
	enum size size;
	enum rights rights;
};
struct record {
	unsigned long n;
	enum rights rights;
	enum level level;
};
struct ward_state {
	enum size worst;
	enum level levels[2];
	WARD_MAP(enum size, ward_count, 8) by_size;
	WARD_MAP(struct both, ward_count, 32) by_both;
	WARD_TOP(enum rights, 16) top;
	WARD_RING(struct record, 16) last;
};
WARD_ENTRY("burst!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned n = (unsigned)ev->arg[0];
	enum size size = n == 11 ? (enum size)9 : n / 4;
	enum rights rights = (enum rights)n;
	enum level level = n < 4 ? LOW : n > 7 ? HIGH : SAME;

	st->worst = size == MIDDLE ? MIDDLE : st->worst;
	st->levels[0] = LOW;
	st->levels[1] = level;
	ward_map_add(&st->by_size, size, 1);
	ward_map_add(&st->by_both, ((struct both){size, rights}), 1);
	ward_top_add(&st->top, rights, 1);
	ward_ring_push(&st->last, ((struct record){n, rights, level}));
}
C
run cc --guards never "$tmp/enums.c" -o "$tmp/enums.ward"
check "enumerations: cc" [ "$status" = 0 ]
status=0
echo 12 | "$ward" trace -o "$tmp/results" "$tmp/enums.ward" -- "$targets/burst" >"$tmp/burst" 2>"$tmp/err" || status=$?
check "enumerations: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
said '^worst +MIDDLE$'
said '^levels\[0\] +LOW$'
said '^levels\[1\] +HIGH$'
said '^ +SMALL +4$'
said '^ +9 +1$'
said '^ +SMALL +NONE +1$'
said '^ +MIDDLE +READ\|WRITE\|EXEC +1$'
said '^ +9 +11 +1$'
said '^ +READ\|EXEC +1 +0$'
said '^ +3 +READ\|WRITE +LOW$'
said '^ +8 +8 +HIGH$'
status=0
echo 12 | "$ward" trace --json -o "$tmp/results" "$tmp/enums.ward" -- "$targets/burst" >"$tmp/burst" 2>"$tmp/err" ||
	status=$?
check "enumerations: status, for programs" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
field worst '.kind == "max" and .value == 1'
field 'levels[0]' '.value == -1'
field by_size '[.entries[] | [.key, .value]] | sort == [[0, 4], [1, 4], [2, 3], [9, 1]]'
check "json: an enumeration" json '.[] | select(.type == "enumeration" and .field == "by_size") | .of == "key" and .flags == false and .names == {"0": "SMALL", "1": "MIDDLE", "2": "LARGE"}'
check "json: flags" json '.[] | select(.type == "enumeration" and .field == "by_both" and .of == "key.rights") | .flags and .names == {"0": "NONE", "1": "READ", "2": "WRITE", "4": "EXEC"}'
check "json: negative numbers" json '.[] | select(.type == "enumeration" and .of == "record.level") | .names == {"-1": "LOW", "0": "SAME", "200": "HIGH"}'
check "json: which enumerations" json '[.[] | select(.type == "enumeration") | [.field, .of]] == [["worst", null], ["levels[0]", null], ["levels[1]", null], ["by_size", "key"], ["by_both", "key.size"], ["by_both", "key.rights"], ["top", "key"], ["last", "record.rights"], ["last", "record.level"]]'

# Records come while the trace goes on.
start_loop "$targets/target"
: >"$tmp/out"
"$ward" trace --json -p "$pid" "$probe" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until grep -q '"type":"record"' "$tmp/out" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
check "records: before the end" [ "$(lines '"type":"end"' "$tmp/out")" = 0 ]
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
check "records: status" [ "$status" = 0 ]
ended() { tail -n 1 "$tmp/out" | jq -e '.type == "end"' >/dev/null; }
# A busy machine may take long to end it: millions of lines are counted as they come.
counted() {
	jq -e -n 'reduce inputs as $l ({}; if $l.field != "all" then . elif $l.type == "record" then .seen += 1 else .told = $l.records end) | .seen == .told' "$tmp/out" >/dev/null
}
check "records: and an end" ended
check "records: their number" counted
end_loop "records"

# The examples are proven without a guard, and what they ask of a shell has an answer.
for example in "$here"/../../probes/*.c; do
	run cc --guards never "$example" -o "$tmp/example.ward"
	check "no guard in $(basename "$example")" [ "$status" = 0 ]
done
run trace --json -o "$tmp/results" "$here/../../probes/opens.c" -- bash --norc -c 'read x </etc/passwd; exit 0'
check "opens: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "opens: the path" json '[.[] | select(.type == "record") | .record.path] | index("/etc/passwd") != null'
run trace --json -o "$tmp/results" "$here/../../probes/flight.c" -- bash --norc -c \
	'read x </etc/passwd; cd /nosuch; exit 0'
mv "$tmp/results" "$tmp/out"
check "flight: the complaint is the last of a dump" json '[.[] | select(.type == "record" and .dump == 1)] | .[-1].record | .fd == 2 and .size > 10'
summary
