#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an author gives the compiler: several files, settings for clang, and the same bytes from wherever it is started.
. "$(dirname "$0")/lib.sh"

json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
# The source is refused, whatever else the message says.
mistaken() {
	run "$@"
	check "ward $*: status" [ "$status" = 1 ]
}
mkdir "$tmp/sub" "$tmp/inc"
cat >"$tmp/inc/state.h" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count works, behinds;
	unsigned long at[16];
	WARD_MAP(int, ward_count, 64) noted;
};
extern unsigned long total;
extern const unsigned char weight[];
void note(struct ward_state *st, int key, unsigned long n);
static inline void mark(struct ward_state *st, unsigned long i) { st->at[i]++; }
C
cat >"$tmp/a.c" <<'C'
#include "state.h"
static unsigned long seen;
static unsigned long helper(unsigned long n)
{
	return n + 1;
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->works++;
	seen += helper(ev->arg[0]) * weight[2];
	note(st, 1, seen);
	mark(st, ev->arg[0] << 8);
}
C
cat >"$tmp/sub/b.c" <<'C'
#include "state.h"
static unsigned long seen = 7;
unsigned long total;
const unsigned char weight[4] = {0, 0, 1, 0};
static unsigned long helper(unsigned long n)
{
	return n * 2;
}
void note(struct ward_state *st, int key, unsigned long n)
{
	total += n;
	ward_map_add(&st->noted, key, helper(1) + (seen == 7));
}
WARD_ENTRY("target!behind")
void on_behind(const struct ward_event *ev, struct ward_state *st)
{
	st->behinds++;
	st->at[(ev->arg[0] + 1) << 8]++;
	mark(st, 3);
}
C

# Two files, one module: their statics are their own, all else is shared, and so is the state.
cd "$tmp"
run cc --report -I inc a.c sub/b.c -o two.ward
check "two files: status" [ "$status" = 0 ]
check "two files: a place in each" grep -qE '^a.c:11:' out
check "two files: and in the other" grep -qE '^sub/b.c:18:[0-9]+ +(load|store) of 8 bytes +guarded: ' out
check "two files: the header's place" grep -qE '^inc/state.h:10:[0-9]+ +(load|store) of 8 bytes +guarded: ' out
run info --json two.ward
check "two files: entries of both" json '[.[] | select(.type == "entry") | .site] | sort == ["target!behind", "target!work"]'
check "two files: guards of all three" json '[.[] | select(.type == "guard") | "\(.file):\(.line)"] | sort | . == ["inc/state.h:10", "sub/b.c:18"]'
gdb -nx -batch -ex "info line a.c:10" -ex "info line b.c:17" two.ward >out 2>err
check "two files: debug information of the first" grep -qE '^Line 10 of ".*/a.c" starts at address 0x[0-9a-f]+ <on_work' out
check "two files: and of the second" grep -qE '^Line 17 of ".*/sub/b.c" starts at address 0x[0-9a-f]+ <on_behind' out
# Both probes run at that site; all but the first run of the first are stopped.
run trace --json -o "$tmp/results" -f 'target!work' two.ward -- "$targets/target" 100 0
check "two files, trace: status" [ "$status" = 0 ]
run trace -o "$tmp/ignored" -f 'target!work' two.ward -- "$targets/target" 100 0
check "two files, trace: one function, two probes" grep -qE '^attached target!work once more, for on_(work|behind)$' err
run trace --json -o "$tmp/results" -f 'target!work' two.ward -- "$targets/target" 100 0
mv results out
check "two files, trace: the first's" json '.[] | select(.field == "works") | .value == 100'
check "two files, trace: the second's" json '.[] | select(.field == "behinds") | .value == 100'
check "two files, trace: through the other's function" json '.[] | select(.field == "noted") | .entries == [{"key":1,"value":300}]'
check "two files, trace: stops of both" json '.[] | select(.type == "end") | [.violations[] | [.line, .count]] | sort | . == [[10, 99], [18, 100]]'

# What the files contradict each other in, and what none of them has.
cat >c.c <<'C'
#include "state.h"
unsigned long total;
int odd(long x);
int none(int);
static int helper(int n) { return n ? helper(n - 1) + odd(n) + none(n) : 0; }
int pong(int n);
int ping(int n) { return pong(n) + helper(n); }
C
cat >d.c <<'C'
#include "state.h"
int odd(int x) { return x; }
C
mistaken cc -I inc a.c sub/b.c c.c d.c -o none.ward
check "defined twice" grep -q "^c.c:2:15: error: 'total' is defined twice; also at sub/b.c:3$" err
check "defined otherwise" grep -q "^d.c:2:5: error: 'odd' is not defined as c.c declares it$" err
sed -i 2d c.c
cat >d.c <<'C'
int odd(long x) { return (int)x; }
static int helper(int n) { return n ? helper(n - 1) : 0; }
int ping(int n);
int pong(int n) { return ping(n) + helper(n); }
#include "state.h"
WARD_ENTRY("target!work")
void on_both(const struct ward_event *ev, struct ward_state *st) { st->works += ping((int)ev->arg[0]); }
C
mistaken cc -I inc a.c sub/b.c c.c d.c -o none.ward
check "recursion: within one" grep -q "^c.c:4:39: error: recursion: 'helper' calls itself$" err
check "recursion: a static of the same name" grep -q "^d.c:2:39: error: recursion: 'helper' calls itself$" err
check "recursion: from file to file" grep -qE "^[cd].c:[46]:26: error: recursion: 'p[io]ng' calls 'p[io]ng' calls 'p[io]ng' again$" err
check "in none of them" grep -q "^c.c:4:64: error: unknown external 'none'$" err
run cc -I inc a.c sub/nosuch.c -o none.ward
check_refusal 2 'sub/nosuch.c: No such file' "a second file that isn't there"
refused 2 'both input and output' cc -I inc a.c sub/b.c -o sub/b.c
mistaken cc -I inc a.c -o none.ward
check "one of two" grep -q "error: unknown external 'note'$" err
# An error in each is said of each.
echo 'int broken = ;' >c.c
echo 'int too = ;' >d.c
mistaken cc -I inc a.c c.c d.c -o none.ward
check "clang's errors of all files" [ "$(grep -c '^[cd].c:1:[0-9]*: error: expected expression$' err)" = 2 ]
# States that differ.
cat >c.c <<'C'
#include <ward/probe.h>
struct other { ward_count n; };
WARD_ENTRY("target!work") void on_other(const struct ward_event *ev, struct other *st) { st->n += ev->arg[0]; }
C
mistaken cc -I inc a.c sub/b.c c.c -o none.ward
check "states that differ" grep -q "'on_work' (a.c:[0-9]*) has the state 'ward_state' of 1184 bytes, 'on_other' (c.c:3) the state 'other' of 8 bytes" err

# States of one name and size: whose members differ in what they are, where they are, or what they are merged as; and
# which are one, though each file writes it in its own way.
state() { # file, entry, the struct's inside
	printf '#include <ward/probe.h>\nstruct later;\nstruct in { unsigned x, y; };\ntypedef unsigned long word;\nenum colour { RED };\nstruct ward_state { %s };\n' "$3" >"$1"
	printf 'WARD_ENTRY("target!%s") void on_%s(const struct ward_event *ev, struct ward_state *st) { (void)ev; (void)st; }\n' "$2" "$2" >>"$1"
}
differs() { # the one's inside, the other's, what is said
	state s.c work "$1"
	state t.c behind "$2"
	mistaken cc s.c t.c -o none.ward
	check "states '$1' and '$2'" grep -qE "^ward: s.c: 'on_(work|behind)' \([st]\.c:7\) and 'on_(work|behind)' \([st]\.c:7\) have different states 'ward_state': $3$" err
}
differs 'ward_count n;' 'ward_min n;' "'n' is merged otherwise"
differs 'ward_count n;' 'unsigned long n;' "'n' is merged otherwise"
differs 'ward_count n, m;' 'ward_count m, n;' "it has other members"
differs 'ward_count n, m;' 'ward_count n; union { ward_count m, o; };' "it has other members"
differs 'long n;' 'unsigned long n;' "'n' is of other types"
differs 'long a[2], n;' 'long a[1], n; int x, y;' "'a' has other lengths"
differs 'int a[4];' 'int a[2][2];' "'a' has other lengths"
differs 'struct in a[2];' 'struct in2 { unsigned x, y; } a[2];' "'a' is of other types"
differs 'struct { struct { int a, b; } in; } of;' 'struct { struct { int a; short b; } in; } of;' \
	"'of.in.b' is of other sizes"
differs 'char c; short s; int n;' 'char c; short s __attribute__((aligned(1), packed)); int n;' "'s' is at other places"
differs 'unsigned a : 3, b : 5;' 'unsigned a : 4, b : 4;' "'a' is at other places"
differs 'WARD_MAP(int, ward_count, 64) m;' 'WARD_MAP(unsigned, ward_count, 64) m;' "'m\.[a-z.]*key' is of other types"
differs 'WARD_MAP(int, ward_count, 64) m;' 'WARD_MAP(int, ward_max, 64) m;' "'m\.[a-z.]*value' is merged otherwise"
differs 'struct later *p;' 'struct in *p;' "'p' points to other types"
state s.c work 'word n; struct in *p; struct ward_state *next; const void *q; enum colour c; int a[2][3]; char text[8]; bool b; WARD_MAP(struct in, ward_log2, 32) m;'
state t.c behind 'unsigned long n; const struct in *p; struct ward_state *const next; void *q; enum colour c; int a[2][3]; char text[8]; _Bool b; WARD_MAP(struct in, ward_log2, 32) m;'
run cc s.c t.c -o same.ward
check "one state, written twice" [ "$status" = 0 -a ! -s err ]

# clang's settings, and what it says: unchanged.
cat >set.c <<'C'
#include <ward/probe.h>
struct ward_state { ward_count n; };
#ifndef STEP
#define STEP 1
#endif
WARD_ENTRY("target!work") void on_work(const struct ward_event *ev, struct ward_state *st)
{
	int unused;

	st->n += STEP;
}
C
run cc set.c -o set.ward
check "a warning: status" [ "$status" = 0 ]
cp err said
clang-19 -std=gnu11 -Wall -ffreestanding -fsyntax-only -fno-color-diagnostics -I "$here/../../probes/include" set.c \
	2>err
check "a warning: as clang says it" cmp -s said err
check "a warning: with its caret" grep -q '^      |             ^~~~~~$' said
mistaken cc -Werror set.c -o set.ward
check "-Werror" grep -q "set.c:8:6: error: unused variable 'unused' \[-Werror,-Wunused-variable\]" err
run cc -Wno-unused-variable set.c -o set.ward
check "-Wno-…" [ "$status" = 0 -a ! -s err ]
run trace --json -D STEP=3 -Wno-unused-variable -o results set.c -- "$targets/target" 10 0
mv results out
check "-D, traced" json '.[] | select(.field == "n") | .value == 30'
run cc -DSTEP=3 -U STEP -Wno-unused-variable set.c -o undefined.ward
check "-U after -D" cmp -s set.ward undefined.ward
run cc -DSTEP=3 -Wno-unused-variable set.c -o three.ward
check "-D" bash -c '! cmp -s set.ward three.ward'
mistaken cc -std=c89 -Werror=comment -Wcomment sub/b.c -o none.ward
refused 2 "does not take these options" cc -std=nosuch set.c -o none.ward
refused 2 "unknown option '-sxx'" cc -sxx set.c
refused 2 "unknown option '-fno-such-thing'" cc -fno-such-thing set.c

# The same bytes, from wherever, however often, whatever the source is called then, and whatever is around.
bytes() { # what, then words for ward cc before -o
	local what=$1
	shift
	rm -f "$tmp/again"
	status=0
	"$ward" cc "$@" -o "$tmp/again" >"$tmp/out" 2>"$tmp/err" || status=$?
	check "the same bytes: $what: status" [ "$status" = 0 ]
	check "the same bytes: $what" cmp "$tmp/two.ward" "$tmp/again"
}
bytes "again" -I inc a.c sub/b.c
bytes "with dots" -I ./inc ./a.c .//sub/../sub/b.c
bytes "with whole paths" -I "$tmp/inc" "$tmp/a.c" "$tmp/sub/b.c"
bytes "with both" -I "$tmp/inc" a.c "$tmp/sub/b.c"
cd "$tmp/sub"
bytes "from below" -I ../inc ../a.c b.c
cd /
bytes "from elsewhere" -I "$tmp/inc" "$tmp/a.c" "${tmp#/}/sub/b.c"
cd "$tmp"
mkdir tmpdir
(
	umask 077
	export LC_ALL=C.UTF-8 LANGUAGE=de TZ=Asia/Tokyo TMPDIR=$tmp/tmpdir HOME=/nonexistent
	"$ward" cc -I inc a.c sub/b.c -o again >/dev/null 2>&1
)
check "the same bytes: another environment" cmp two.ward again
for i in 1 2 3 4 5 6; do "$ward" cc -I inc a.c sub/b.c -o "many.$i" >/dev/null 2>&1 & done
wait
check "the same bytes: six at once" bash -c 'for i in 1 2 3 4 5 6; do cmp two.ward many.$i || exit 1; done'
mkdir copy
cp -r a.c sub inc copy
(cd copy && "$ward" cc -ffile-prefix-map="$tmp/copy=$tmp" -I inc a.c sub/b.c -o ../again >/dev/null 2>&1)
check "the same bytes: of a copy that is said to be the original" cmp two.ward again
for example in "$here"/../../probes/*.c; do
	"$ward" cc --guards always "$example" -o one >/dev/null 2>&1
	(cd "$(dirname "$example")" && LC_ALL=C "$ward" cc --guards always "$(basename "$example")" -o "$tmp/again") \
		>/dev/null 2>&1
	check "the same bytes: $(basename "$example")" cmp one again
done
cd /
summary
