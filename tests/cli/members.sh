#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Members of a state of every type: each is shown as far as it can be; what can't is warned of, and named.
. "$(dirname "$0")/lib.sh"

probe=$tmp/members.ward
said() { check "text: $1" grep -qE "$1" "$tmp/out"; }
warned() { check "warning: $1" grep -qE "$1" "$tmp/err"; }
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
field() { check "json: $1" json ".[] | select(.type == \"field\" and .field == \"$1\") | $2"; }
trace() { # options.. : the probe on a target, its results in $tmp/out
	run trace -o "$tmp/results" "$@" -- "$targets/target" 1000 0
	check "trace: status" [ "$status" = 0 ]
	mv "$tmp/results" "$tmp/out"
}

cat >"$tmp/members.c" <<'C'
#include <ward/probe.h>
union u { unsigned long w; unsigned h[2]; };
enum op { READ, WRITE };
struct inner {
	ward_count a;
	unsigned long v[200];
};
struct record { double x; float y; unsigned a : 3; signed b : 5; union u u; unsigned __int128 wide; };
struct ward_state {
	ward_count n;
	unsigned long big[129];
	struct inner in;
	union u u;
	union { unsigned long word; unsigned half[2]; };
	unsigned a : 5, b : 11;
	enum op last : 8;
	void *p;
	char text[300];
	struct inner many[130];
	unsigned __int128 wide;
	signed __int128 minus;
	double real;
	ward_float bits;
	const char *s;
	WARD_PRIVATE(unsigned long mine; long double its;);
	long double longer;
	WARD_MAP(double, ward_count, 8) by_real;
	WARD_RING(struct record, 16) ring;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = st->n++;
	unsigned long real = 0x400a000000000000, small = 0xbfc00000; /* 3.25, -1.5 */
	struct record r;

	r.a = n & 7;
	r.b = -5;
	r.u.w = n;
	r.wide = (unsigned __int128)n << 64;
	st->big[3]++;
	st->big[128] += 2;
	st->in.a++;
	st->in.v[2]++;
	st->u.w++;
	st->word += 5;
	st->a = 17;
	st->b += 2;
	st->last = WRITE;
	st->p = (void *)ev->caller;
	for (unsigned i = 0; i < 299; i++)
		st->text[i] = 'x';
	st->many[2].a++;
	st->many[2].v[7]++;
	st->wide += (unsigned __int128)1 << 64;
	st->minus -= 3;
	st->s = "hello";
	st->mine++;
	__builtin_memcpy(&st->real, &real, 8);
	st->bits = (ward_float)small;
	__builtin_memcpy(&r.x, &real, 8);
	__builtin_memcpy(&r.y, &small, 4);
	ward_ring_push(&st->ring, r);
}
C
run cc "$tmp/members.c" -o "$probe"
check "cc: status" [ "$status" = 0 ]
warned "^$tmp/members\.c:6(:[0-9]+)?: warning: 'many\[\]\.v' is not shown: an array of more than 128"
warned "^$tmp/members\.c:26(:[0-9]+)?: warning: 'longer' is not shown: Ward has no form for its type"
warned '^ +26 \| .long double longer;'
warned '^ *hint: .*WARD_PRIVATE'
check "warnings: two" [ "$(lines ' warning: ' "$tmp/err")" = 2 ]
run info "$probe"
for line in 'big  *array  *1032  129 elements' 'u\.w  *value' 'word  *value' 'a  *value' 'p  *max' \
	'text  *text  *300' 'wide  *wide  *16' 'real  *real  *8' 'bits  *real  *4' \
	'not shown: many\[\]\.v: an array' 'not shown: longer: '; do said "^$line"; done
check "info: what is private isn't named" [ "$(grep -c 'mine\|its$' "$tmp/out")" = 0 ]
run info --json "$probe"
check "info: for programs" json '[.[] | select(.type == "unshown") | [.field, .line]] == [["many[].v", 6], ["longer", 26]]'

trace "$tmp/members.c"
check "trace: warnings, as cc has them" [ "$(lines ' warning: ' "$tmp/err")" = 2 ]
said '^u\.w +1000$'
said '^word +5000$'
said '^a +17$'
said '^last +WRITE$'
said '^p +target!.*'
said '^wide +18446744073709551616000$'
said '^minus +-3000$'
said '^real +3\.25$'
said '^bits +-1\.5$'
said '^  index +value$'
said '^ +3 +1000$'
said '^ +128 +2000$'
said '^  the other 127 of 129 are 0$'
said '^ +2 +1000$'
said '^ +x +y +a +b +u\.w +wide$'
said '^ +3\.25 +-1\.5 +7 +-5 +999 +18428297329635842064384$'
said '^not shown: longer: Ward has no form for its type$'
trace --json "$probe"
field big '.kind == "array" and .entries == [{"key":3,"value":1000},{"key":128,"value":2000}] and .elements == 129'
field many '.entries == [{"key":2,"value":{"a":1000}}]'
field wide '.value == 18446744073709551616000'
check "json: all digits" grep -q '"value":18446744073709551616000[},]' "$tmp/out"
field real '.value == 3.25'
field b '.value == 2000 % 2048'
field text '.value | length == 299'
check "json: a record" json '[.[] | select(.type == "record") | .record] | .[-1] | .x == 3.25 and .y == -1.5 and .a == 7 and .b == -5 and ."u.w" == 999'
check "json: what isn't shown" json '[.[] | select(.type == "unshown") | .field] == ["many[].v", "longer"]'

# The records in the Common Trace Format.
run trace --ctf "$tmp/ctf" "$probe" -- "$targets/target" 1000 0
check "ctf: status" [ "$status" = 0 ]
babeltrace2 "$tmp/ctf" >"$tmp/out" 2>"$tmp/err"
said 'x = 3\.25, y = -1\.5, a = 7, b = -5, u_w = 999, wide = \[ \[0\] = 0x0, \[1\] = 0x3E7 \]'

# Records as they come, as text.
run trace --records -o "$tmp/results" "$probe" -- "$targets/target" 1000 0
check "records: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "records: a line for each that was read" [ "$(lines '^ring  x ' "$tmp/out")" = \
	"$(sed -n 's/^ring  \([0-9]*\) records\? read, [0-9]* lost$/\1/p' "$tmp/out")" ]
said '^ring  x 3\.25  y -1\.5  a 7  b -5  u\.w 999  wide 18428297329635842064384$'
start_loop "$targets/target"
: >"$tmp/out"
"$ward" trace --records -p "$pid" "$probe" >"$tmp/out" 2>"$tmp/err" &
tracer=$!
started+=("$tracer")
until grep -q '^ring  x ' "$tmp/out" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
check "records: before the end" [ "$(lines 'events in' "$tmp/out")" = 0 ]
kill -TERM "$tracer"
status=0
wait "$tracer" || status=$?
check "records: status" [ "$status" = 0 ]
said 'events in'
end_loop "records"
refused 2 "can't be combined with --ctf" trace --records --ctf "$tmp/no" "$probe" -- "$targets/target" 10 0

# Doubles that are only copied, and constants.
cat >"$tmp/reals.c" <<'C'
#include <ward/probe.h>
struct record { unsigned long n; double x; float y; };
struct ward_state {
	double last, twice, constant;
	float small;
	WARD_RING(struct record, 4) ring;
};
WARD_ENTRY("target!work")
void f(const struct ward_event *ev, struct ward_state *st)
{
	struct record r = {.n = ev->arg[0], .y = 2.5f};
	unsigned long bits = 0x400a000000000000;
	double d;

	__builtin_memcpy(&d, &bits, 8);
	st->last = d;
	st->twice = st->last;
	st->constant = -0.125;
	st->small = r.y;
	r.x = st->twice;
	ward_ring_push(&st->ring, r);
}
C
run cc --guards never "$tmp/reals.c" -o "$tmp/reals.ward"
check "reals: status" [ "$status" = 0 ]
trace "$tmp/reals.ward"
said '^last +3\.25$'
said '^twice +3\.25$'
said '^constant +-0\.125$'
said '^small +2\.5$'
said '^ +999 +3\.25 +2\.5$'
sed 's/st->twice = st->last/st->twice = st->last + 1/' "$tmp/reals.c" >"$tmp/sum.c"
run cc "$tmp/sum.c" -o "$tmp/sum.ward"
check "reals: a sum is refused" [ "$status" = 1 ]
check "reals: a sum is refused at its line" grep -q 'sum.c:17:.*error: floating point' "$tmp/err"

# Keys whose members leave holes.
cat >"$tmp/holes.c" <<'C'
#include <ward/probe.h>
struct holes { char c; long n; };
struct none { long n; char c[8]; };
struct bits { unsigned a : 3, b : 29; };
struct in { short s; ward_pad one, more[1]; };
struct filled { char c; ward_pad pad[3]; int n; struct in in; ward_pad end[4]; long x; };
struct ward_state {
	WARD_MAP(struct none, ward_count, 8) whole;
	WARD_MAP(struct filled, ward_count, 8) filled;
	WARD_MAP(struct bits, ward_count, 8) by_bits;
	WARD_TOP(struct holes, 8) top;
};
WARD_ENTRY("target!work")
void f(const struct ward_event *ev, struct ward_state *st)
{
	ward_top_add(&st->top, ((struct holes){'c', (long)ev->arg[0] & 1}), 1);
	ward_map_add(&st->filled, ((struct filled){.c = 'f', .n = 7, .in = {.s = 5}, .x = 3}), 1);
}
C
run cc "$tmp/holes.c" -o "$tmp/holes.ward"
check "holes: status" [ "$status" = 0 ]
warned "holes\.c:11(:[0-9]+)?: warning: 'top\.key' has bytes that no member has"
check "holes: one warning" [ "$(lines warning "$tmp/err")" = 1 ]
trace --json "$tmp/holes.ward"
check "holes: and it is shown" json '[.[] | select(.type == "unshown")] == []'
check "holes: what fills them isn't" json \
	'[.[] | select(.field == "filled").entries[].key] == [{"c": 102, "n": 7, "in.s": 5, "x": 3}]'

# Why there is nothing to show.
nothing() { # text of the state, what is said
	printf '#include <ward/probe.h>\n%s\nWARD_ENTRY("target!work")\nvoid f(const struct ward_event *ev, struct ward_state *st) { st->n += ev->arg[0] > 5; }\n' "$1" >"$tmp/nothing.c"
	run trace "$tmp/nothing.c" -- "$targets/target" 10 0
	check "nothing to show: status" [ "$status" = 0 ]
	check "$2" grep -q "$2" "$tmp/err"
	check "no more is said than that" [ "$(lines 'has no debug information' "$tmp/err")" = 0 ]
}
nothing 'struct ward_state { WARD_PRIVATE(unsigned long n;); };' "the probe's state has no members to show"
nothing 'struct ward_state { union { struct { unsigned long n; }; }; long double x; };' "'x' is not shown"
summary
