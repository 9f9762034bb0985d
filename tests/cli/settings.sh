#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Settings: const volatile globals of a module get another value when it is attached, and the module is verified with it.
. "$(dirname "$0")/lib.sh"

cat >"$tmp/set.c" <<'C'
#include <ward/probe.h>
const volatile unsigned long limit = 5;
const volatile int sign = -1;
static const volatile unsigned char small = 3;
const volatile _Bool on = 1;
const unsigned long fixed = 7;
struct ward_state {
	ward_stat_signed seen;
	ward_count limit, small, on;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_signed_add(&st->seen, sign);
	st->limit = limit + (fixed != 7);
	st->small = small;
	st->on = on;
}
C
# An index, a number of rounds, a divisor: guards hold them, whatever they are.
cat >"$tmp/guarded.c" <<'C'
#include <ward/probe.h>
const volatile unsigned long slot = 5;
const volatile unsigned divisor = 4;
struct ward_state {
	ward_count at[16], sum;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->at[slot]++;
	st->sum += 8 / divisor;
}
C
# The verifier knows the two bytes as constants: so the proof holds for some values only.
cat >"$tmp/table.c" <<'C'
#include <ward/probe.h>
const volatile unsigned short pair = 0x0201;
struct ward_state {
	ward_count at[8];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->at[((const volatile unsigned char *)&pair)[ev->arg[0] & 1]]++;
}
C
echo 'static const volatile int same = 1; int other_of(void) { return same; }' >"$tmp/other.c"
cat >"$tmp/same.c" <<'C'
#include <ward/probe.h>
static const volatile int same = 2;
int other_of(void);
struct ward_state {
	ward_count n;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->n += (unsigned)(same + other_of());
}
C
for probe in set guarded; do
	check "$probe compiles" "$ward" cc "$tmp/$probe.c" -o "$tmp/$probe.ward"
done
check "table compiles without a guard" "$ward" cc --guards=never "$tmp/table.c" -o "$tmp/table.ward"
check "same compiles" "$ward" cc "$tmp/same.c" "$tmp/other.c" -o "$tmp/same.ward"

trace() { run trace -q --json -o "$tmp/results" "$@" -- "$targets/target" 10 0; }
value() { jq -e -s ".[] | select(.field == \"$1\") | .$2 == $3" "$tmp/results" >/dev/null; }
sets() { # options of one setting each.. : they are accepted
	local options=()
	for s in "$@"; do options+=(-D "$s"); done
	trace "${options[@]}" "$tmp/set.ward"
	check "$*: status" [ "$status" = 0 ]
}
sets
check "the values of the source" value limit 'value / 5' 1
sets limit=0x10 sign=-2147483648 small=255 on=0
check "limit" value limit value 16
check "sign" value seen min -2147483648
check "small" value small value 255
check "on" value on value 0
sets limit=18446744073709551615 sign=2147483647 small=010
check "the largest" value limit value 18446744073709551615
check "the largest, signed" value seen max 2147483647
check "octal" value small value 8

bad() { refused 2 "$1" trace -D "$2" "$tmp/set.ward" -- "$targets/target" 10 0; }
for value in small=256 small=-1 limit=-1 limit=18446744073709551616 sign=2147483648 sign=-2147483649 on=2 limit= limit=3x \
	limit=+ 'limit= 3' limit=0x; do
	bad 'not a number that' "$value"
done
bad 'is not NAME=VALUE' limit
bad 'is not NAME=VALUE' =3
bad 'no setting nope' nope=3
check "it says which there are" grep -q '^hint: it has limit, sign, on, small$' "$tmp/err"
bad 'no setting fixed' fixed=3
bad 'no setting on_work' on_work=3
refused 2 'limit is set twice' trace -D limit=1 -D limit=2 "$tmp/set.ward" -- "$targets/target" 10 0
refused 2 'two settings have the name same' trace -D same=1 "$tmp/same.ward" -- "$targets/target" 10 0
refused 2 'not a module' trace -D limit=1 "$here/lib.sh" -- "$targets/target" 10 0
objcopy --strip-debug "$tmp/set.ward" "$tmp/bare.ward" 2>/dev/null
refused 2 'no setting limit' trace -D limit=1 "$tmp/bare.ward" -- "$targets/target" 10 0

# A proof doesn't rest on a setting's first value: guards stop what goes wrong with another one.
trace -D slot=100 "$tmp/guarded.ward"
check "an index: status" [ "$status" = 0 ]
check "an index is stopped" jq -e -s 'any(.[].violations[]?; .count > 0 and (.reason | test("access outside")))' "$tmp/results"
trace -D divisor=0 "$tmp/guarded.ward"
check "a divisor is stopped" jq -e -s 'any(.[].violations[]?; .count > 0 and (.reason | test("division by zero")))' "$tmp/results"
# Where it does, the module with that value is rejected, and the target is left alone.
trace -D pair=0x0304 "$tmp/table.ward"
check "the proof holds for it, too" [ "$status" = 0 ]
run trace -D pair=0xc801 "$tmp/table.ward" -- "$targets/target" 10 0
check "a value that breaks the proof: status" [ "$status" = 1 ]
check "a value that breaks the proof: the rule" grep -q 'V-31' "$tmp/err"

# Debug information may say anything of where a setting is: nothing outside of the constants is written.
cat >"$tmp/lie.py" <<'PY'
import struct, sys
path, to, address = sys.argv[1], sys.argv[2], int(sys.argv[3], 0)
data = bytearray(open(path, 'rb').read())
table, n, names = struct.unpack_from('<Q', data, 40)[0], *struct.unpack_from('<HH', data, 60)
sections = [struct.unpack_from('<IIQQQQ', data, table + 64 * i) for i in range(n)]
strings = sections[names][4]
for name, _, _, _, offset, size in sections:
    if data[strings + name:].split(b'\0', 1)[0] == b'.debug_addr':
        for at in range(offset + 8, offset + size, 8):
            struct.pack_into('<Q', data, at, address)
open(to, 'wb').write(data)
PY
for address in 0 0x1000 0x1fff 0x2fff 0xffffffffffffffff 0x7fffffffffffffff; do
	python3 "$tmp/lie.py" "$tmp/set.ward" "$tmp/lie.ward" $address
	refused 2 'no setting limit' trace -D limit=1 "$tmp/lie.ward" -- "$targets/target" 10 0
done
summary
