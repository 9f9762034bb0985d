#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Guards: what can't be proven is guarded, said, counted when it stops a run, and shown.
. "$(dirname "$0")/lib.sh"

json() { jq -e -s "$1" "$tmp/out" >/dev/null; }

cat >"$tmp/astray.c" <<'C'
#include <ward/probe.h>
struct node {
	struct node *next;
	unsigned long n;
};
struct ward_state {
	ward_count calls, done;
	struct node a, b;
	unsigned long at[16];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	struct node *p;

	st->calls++;
	st->at[ev->arg[0]]++;
	st->a.next = &st->b;
	st->b.next = ev->arg[0] % 4 == 3 ? &st->a : 0;
	WARD_BOUND(10)
	for (p = &st->a; p; p = p->next)
		p->n++;
	st->done++;
}
C

# Accesses that can be proven have no guard, also if all others have one; without guards, an access that can't be
# proven is an error at its line.
run cc --report "$tmp/astray.c" -o "$tmp/astray.ward"
check "cc: status" [ "$status" = 0 ]
check "the report: proven" grep -qE '^.*astray.c:16:11 +load of 8 bytes +proven$' "$tmp/out"
check "the report: guarded, and why" grep -qE '^.*astray.c:17:[0-9]+ +load of 8 bytes +guarded: .* at state\+\[' \
	"$tmp/out"
check "the report: one check for both" grep -qE '^.*astray.c:17:([0-9]+) +store of 8 bytes +proven behind the check at 17:\1$' "$tmp/out"
check "the report: a loop" grep -qE '^.*astray.c:21:[0-9]+ +loop +guarded: at most 10 rounds: nothing bounds the loop' "$tmp/out"
check "the report: how many" grep -qE '^[0-9]+ proven, [0-9]+ guarded$' "$tmp/out"
run info "$tmp/astray.ward"
check "info: an index" grep -qE 'astray.c:17: stops an access outside' "$tmp/out"
check "info: a loop" grep -qE 'astray.c:21: stops a loop' "$tmp/out"
run info --json "$tmp/astray.ward"
check "info --json" json '[.[] | select(.type == "guard") | .line] | index(17) and index(21)'
refused 1 'rejected' cc --guards never "$tmp/astray.c" -o "$tmp/never.ward"
check "without guards: the line" grep -q 'astray.c:17[0-9:]*: error: .*V-31' "$tmp/err"
refused 2 'auto, always or never' cc --guards sometimes "$tmp/astray.c" -o "$tmp/none.ward"

# A warning of the optimiser's stands beside the report, once however often the code is generated again; the listing
# has its reasons still.
sed 's,WARD_BOUND(10),_Pragma("clang loop unroll(full)"),' "$tmp/astray.c" >"$tmp/warned.c"
run cc --report -Wframe-larger-than=1 "$tmp/warned.c" -o "$tmp/warned.ward"
check "a warning: status" [ "$status" = 0 ]
check "a warning: of the optimiser" [ "$(grep -cE '^ward: code generation: warning: .*warned.c:2[01]:.* loop not unrolled' "$tmp/err")" = 1 ]
check "a warning: with the report" grep -qE '^.*warned.c:17:[0-9]+ +load of 8 bytes +guarded: .* at state\+\[' \
	"$tmp/out"
check "a warning: nothing else in the report" [ "$(grep -vcE '^.*warned.c:[0-9]+:[0-9]+ +(load|store|loop)|^[0-9]+ proven, [0-9]+ guarded$' "$tmp/out")" = 0 ]
run cc -S "$tmp/warned.c" -o "$tmp/warned.ward"
check "a warning: the listing's reasons" grep -qE '^  guard .*; (load|store) of 8 bytes: ' "$tmp/out"

# Runs 0 to 15 keep to the table, and every fourth of them goes round for ever; the others stop at the index.
run trace --json -o "$tmp/results" "$tmp/astray.ward" -- "$targets/target" 100 0
check "trace: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "trace: what was counted before" json '.[] | select(.field == "calls") | .value == 100'
check "trace: and after" json '.[] | select(.field == "done") | .value == 12'
check "trace: stopped at the index" json '.[] | select(.type == "end") | [.violations[] | select(.line == 17) | .count] == [84]'
check "trace: stopped in the loop" json '.[] | select(.type == "end") | [.violations[] | select(.line == 21) | .count] == [4]'
run trace -o "$tmp/results" "$tmp/astray.ward" -- "$targets/target" 100 0
check "trace: for people" grep -qE 'astray.c:17: 84 runs stopped here: an access outside' "$tmp/results"

# A loop whose end can't be proven may go round so often as its author says, or as --rounds says of all of them. The
# first of them at which runs were stopped is told with what lets it go on.
cat >"$tmp/rounds.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count steps, done;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = 1;

	BOUND while ((x = (x * 5 + 1) & 8191) != 1)
		st->steps++;
	x = 1;
	while ((x = (x * 5 + 1) & 16383) != 1)
		st->steps++;
	st->done++;
}
C
traced() { # OPTION...: the results of a hundred runs
	rm -f "$tmp/results"
	run trace -o "$tmp/results" "$@" "$tmp/rounds.c" -- "$targets/target" 100 0
}
traced -DBOUND=
check "rounds: status" [ "$status" = 0 ]
check "rounds: the first stop has both ways out" grep -qE \
	'rounds.c:10: 100 runs stopped here: a loop that goes round too often; WARD_BOUND\(n\) before it .*--rounds N' "$tmp/results"
traced -DBOUND= --rounds 8191
check "rounds: of all loops without a bound" grep -qE 'rounds.c:13: 100 runs stopped here: .*--rounds N' "$tmp/results"
check "rounds: and only there" [ "$(lines 'stopped here' "$tmp/results")" = 1 ]
traced -DBOUND= --rounds 16383
check "rounds: enough" [ "$(lines 'stopped here' "$tmp/results")" = 0 -a "$(sed -n 's/^done *//p' "$tmp/results")" = 100 ]
check "rounds: all of them" [ "$(sed -n 's/^steps *//p' "$tmp/results")" = $((100 * (8191 + 16383))) ]
traced '-DBOUND=WARD_BOUND(100)' --rounds 16383
check "rounds: not of a loop with a bound" grep -qE \
	'rounds.c:10: 100 runs stopped here: a loop that goes round more often than its WARD_BOUND$' "$tmp/results"
refused 1 'rejected' cc -DBOUND= --rounds 1000000 "$tmp/rounds.c" -o "$tmp/rounds.ward"
check "rounds: the limit of instructions" grep -qE 'rounds.c:1[03]:[0-9]+: error: .*this loop may go back (999999|1000000|1000001) times' "$tmp/err"
run cc -DBOUND= --rounds 16383 --guards always "$tmp/rounds.c" -o "$tmp/rounds.ward"
run info "$tmp/rounds.ward"
check "rounds: with everything guarded" grep -qE 'rounds.c:10: stops a loop that goes round too often$' "$tmp/out"

# Stops of the source's own: assertions, also in functions that are inlined twice and recursion, and calls through
# pointers that lead nowhere. Each has its line, with guards and without.
cat >"$tmp/asserts.c" <<'C'
#include <assert.h>
#include <ward/probe.h>
struct ward_state {
	ward_count calls, done, sum;
	unsigned long at[16];
};
static unsigned long below(unsigned long i, unsigned long n)
{
	assert(i < n);
	return i;
}
static unsigned long halves(unsigned long n, unsigned depth)
{
	assert(depth || n == 0);
	return n ? n + halves(n / 2, depth - 1) : 0;
}
static long one(long v) { return v + 1; }
static long (*const table[4])(long) = {one, one, 0, one};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long i = ev->arg[0];

	st->calls++;
	assert(i != 3), st->at[below(i & 31, 16)]++;
	st->sum += below(i % 32, 9);
	st->sum += halves(i & 7, 2);
	st->sum += (unsigned long)table[i & 3](1);
	st->done++;
}
C
for guards in auto never always; do
	run cc --guards $guards "$tmp/asserts.c" -o "$tmp/asserts.ward"
	check "assert, $guards: status" [ "$status" = 0 ]
	run trace --json -o "$tmp/results" "$tmp/asserts.ward" -- "$targets/target" 32 0
	mv "$tmp/results" "$tmp/out"
	check "assert, $guards: runs" json '.[] | select(.field == "calls") | .value == 32'
	check "assert, $guards: those that hold" json '.[] | select(.field == "done") | .value == 3'
	check "assert, $guards: the probe's own" json '.[] | select(.type == "end") | [.violations[] | select(.line == 25) | .count] == [1]'
	check "assert, $guards: inlined twice" json '.[] | select(.type == "end") | [.violations[] | select(.line == 9) | .count] == [23]'
	check "assert, $guards: in recursion" json '.[] | select(.type == "end") | [.violations[] | select(.line == 14) | .count] == [4]'
	check "assert, $guards: a call to nothing" json '.[] | select(.type == "end") | [.violations[] | select(.line == 28) | .count] == [1]'
done
run trace -o "$tmp/results" "$tmp/asserts.ward" -- "$targets/target" 32 0
check "assert: for people" grep -qE 'asserts.c:9: 23 runs stopped here: an assertion that does not hold$' "$tmp/results"
check "assert: a call to nothing, for people" grep -qE 'asserts.c:28: 1 run stopped here: a call through a pointer that leads to no function$' "$tmp/results"

# A local array beyond the stack is behind the state, zeros in each run, and no reader sees it.
cat >"$tmp/large.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count calls, sum;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned char seen[6000];

	st->calls++;
	seen[ev->arg[0] * 59 % sizeof seen] = 1;
	WARD_BOUND(6000)
	for (unsigned i = 0; i < sizeof seen; i++)
		st->sum += seen[i];
}
C
run cc --report "$tmp/large.c" -o "$tmp/large.ward"
check "large: status" [ "$status" = 0 ]
check "large: the report" grep -q '; 6000 bytes of local variables are behind the state, for which the stack has no room$' "$tmp/out"
run info "$tmp/large.ward"
check "large: its fields" [ "$(grep -c ' count ' "$tmp/out")" = 2 ]
run trace --json -o "$tmp/results" "$tmp/large.ward" -- "$targets/target" 100 0
mv "$tmp/results" "$tmp/out"
check "large: zeros each time" json '.[] | select(.field == "sum") | .value == 100'
check "large: nothing else is shown" json '[.[] | select(.type == "field") | .field] == ["calls", "sum"]'

# Where every run stops there is a warning. Where some run goes on there is none: also if the optimiser has a copy of
# the access of which no run gets through, and if a function is inlined once to where it fails and once to where it
# doesn't, of which the one is named.
always_stopped() { # the statement, then what is warned of at which column of line 11; nothing: no warning
	cat >"$tmp/stopped.c" <<C
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state { ward_count n, done; unsigned long i, v[8]; };
__attribute__((unused)) static void both(unsigned long *p)
{
	p[0]++, p[1]++;
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{ unsigned long x = ev->arg[0];
$1;
	st->n += x, st->done++;
}
C
	run cc "${@:3}" "$tmp/stopped.c" -o "$tmp/stopped.ward"
	check "stopped: $1: status" [ "$status" = 0 ]
	check "stopped: $1: warnings" [ "$(lines 'warning: ' "$tmp/err")" = "$([ -z "${2:-}" ] && echo 0 || echo 1)" ]
	[ -z "${2:-}" ] || check "stopped: $1: warning" grep -qE "stopped.c:$2" "$tmp/err"
}
never='warning: this access never succeeds: every run that reaches it stops$'
always_stopped '((unsigned long *)(st + 1))[0]++' "11:31: $never"
always_stopped '((unsigned long *)(st + 1))[-1]++'
always_stopped 'both(&st->v[7])' '6:14: warning: this access never succeeds: .*, inlined for the call at .*stopped.c:11:1$'
always_stopped 'both(&st->v[6]), both(&st->v[7])' '6:14: warning: .*, inlined for the call at .*stopped.c:11:18$'
always_stopped 'both(&st->v[6])'
always_stopped 'if (x == 7) st->v[8 + (x & 1)]++' "11:31: $never"
always_stopped 'st->v[8 + (x & 3)]++' "11:19: $never"
always_stopped 'st->v[7 + (x & 3)]++'
always_stopped 'if (x > 7 && x < 99) st->v[x]++' "11:30: $never"
always_stopped 'if (x > 6 && x < 99) st->v[x]++'
always_stopped 'if (x > 7) st->v[x]++' # st->v[-1] is st->i
always_stopped 'unsigned long *p = x % 4 == 2 ? 0 : st->v; p[x & 1]++'
always_stopped 'if (x > 8) ward_read(&st->v[7], x, x)' "11:12: $never"
always_stopped 'if (x > 7) ward_read(&st->v[7], x, x)'
always_stopped 'x /= st->i'
always_stopped 'for (int i = 0; i < 16; i++) st->v[i]++' "9:6: warning: every run of 'on_work' is stopped$"
always_stopped 'for (unsigned i = 0; i < 16 && i < x; i++) st->v[i]++'
always_stopped 'st->v[x]++' '' --guards always
always_stopped 'both(&st->v[7])' '6:14: warning: this access never succeeds' --guards always
run trace -o "$tmp/results" "$tmp/stopped.ward" -- "$targets/target" 100 0
check "stopped: and so it is" grep -qE 'stopped.c:6: 100 runs stopped here' "$tmp/results"
# A state that ends in an array of no elements.
cat >"$tmp/flexible.c" <<'C'
#include <ward/probe.h>
struct ward_state { ward_count n; unsigned long v[]; };
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->v[0]++;
}
C
run cc "$tmp/flexible.c" -o "$tmp/flexible.ward"
check "stopped: no elements" grep -qE "flexible.c:6:10: $never" "$tmp/err"

# The end of a list and a pointer that leads astray are told apart by one test at first.
cat >"$tmp/stray.c" <<'C'
#include <ward/probe.h>
struct node {
	struct node *next;
	unsigned long n;
};
struct ward_state {
	ward_count calls, done, sum;
	struct node *head, a, b;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->a.n = 1;
	st->b.n = 10;
	st->a.next = &st->b;
	st->b.next = ev->arg[0] % 4 == 3 ? (struct node *)ev->arg[0] : 0;
	st->head = ev->arg[0] % 4 == 2 ? 0 : &st->a;
	WARD_BOUND(10)
	for (const struct node *p = st->head; p; p = p->next)
		st->sum += p->n;
	st->done++;
}
C
run cc --report "$tmp/stray.c" -o "$tmp/stray.ward"
check "stray: status" [ "$status" = 0 ]
run trace --json -o "$tmp/results" "$tmp/stray.ward" -- "$targets/target" 100 0
mv "$tmp/results" "$tmp/out"
check "stray: ends are no traps" json '.[] | select(.field == "done") | .value == 75'
check "stray: what was on the way" json '.[] | select(.field == "sum") | .value == 825'
check "stray: stopped" json '.[] | select(.type == "end") | [.violations[] | select(.line == 21) | .count] == [25]'

# A list that is not asked whether it is empty: there NULL is astray, too, whether or not other ways lead to where it
# ends.
cat >"$tmp/empty.c" <<'C'
#include <ward/probe.h>
struct node {
	struct node *next;
	unsigned long n;
};
struct ward_state {
	ward_count calls, done, sum;
	struct node *head, a, b;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	const struct node *p;

	st->calls++;
	st->a.n = 1;
	st->b.n = 10;
	st->a.next = &st->b;
	st->b.next = 0;
	st->head = ev->arg[0] % 4 == 2 ? 0 : &st->a;
	p = st->head;
	if (ev->arg[0] % 4 != 1) {
		WARD_BOUND(10)
		do {
			st->sum += p->n;
			p = p->next;
		} while (p);
	}
	st->done++;
}
C
run cc "$tmp/empty.c" -o "$tmp/empty.ward"
check "empty: status" [ "$status" = 0 ]
run trace --json -o "$tmp/results" "$tmp/empty.ward" -- "$targets/target" 100 0
mv "$tmp/results" "$tmp/out"
check "empty: the others end" json '.[] | select(.field == "done") | .value == 75'
check "empty: what was on the way" json '.[] | select(.field == "sum") | .value == 550'
check "empty: stopped" json '.[] | select(.type == "end") | [.violations[] | select(.line == 25) | .count] == [25]'

# An index that has a guard of its own bounds the loop that moves it: there fuel would be one test too many.
cat >"$tmp/until.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count calls, done;
	unsigned long at[16];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned i = 0;

	st->calls++;
	for (unsigned k = 0; k < 16; k++)
		st->at[k] = k;
	while (st->at[i] != ev->arg[0] % 32)
		i++;
	st->done++;
}
C
run cc --report "$tmp/until.c" -o "$tmp/until.ward"
check "until: status" [ "$status" = 0 ]
check "until: the index" grep -qE 'until.c:14:[0-9]+ +load of 8 bytes +guarded' "$tmp/out"
check "until: the loop" grep -qE 'until.c:14:[0-9]+ +loop +proven$' "$tmp/out"
run info --json "$tmp/until.ward"
check "until: no more than the places" json '[.[] | select(.type == "guard") | .line] == [14]'
run trace --json -o "$tmp/results" "$tmp/until.ward" -- "$targets/target" 100 0
mv "$tmp/results" "$tmp/out"
check "until: found" json '.[] | select(.field == "done") | .value == 52'
check "until: stopped" json '.[] | select(.type == "end") | [.violations[] | select(.line == 14) | .count] == [48]'

# A remainder of a number of 64 bits is an index that needs no guard, and is what a division gives, on both sides of
# each multiple.
cat >"$tmp/rest.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	unsigned long at[1000];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->at[ev->arg[0] % 3]++;
	st->at[ev->arg[1] % 10]++;
	st->at[ev->arg[2] % 24]++;
	st->at[ev->arg[3] % 100]++;
	st->at[ev->arg[4] % 200]++;
	st->at[ev->arg[5] % 1000]++;
}
C
run cc --report "$tmp/rest.c" -o "$tmp/rest.ward"
check "rest: status" [ "$status" = 0 ]
check "rest: no guard" grep -qE '^[0-9]+ proven, 0 guarded$' "$tmp/out"
cat >"$tmp/divided.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count calls, same;
	unsigned long at[1000], by;
};
static unsigned long divided(struct ward_state *st, unsigned long x, unsigned long by)
{
	*(volatile unsigned long *)&st->by = by;
	return x % *(volatile unsigned long *)&st->by;
}
#define LOOK_AT(x, by) (st->same += (x) % by == divided(st, x, by), st->at[(x) % by]++)
#define LOOK(by) (LOOK_AT(x, by), LOOK_AT(-x, by), LOOK_AT(x - divided(st, x, by), by), LOOK_AT(x - divided(st, x, by) - 1, by))
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = ev->arg[0] * 0x9e3779b97f4a7c15;

	st->calls++;
	LOOK(3);
	LOOK(10);
	LOOK(24);
	LOOK(100);
	LOOK(200);
	LOOK(1000);
}
C
run cc "$tmp/divided.c" -o "$tmp/divided.ward"
check "divided: status" [ "$status" = 0 ]
run trace --json -o "$tmp/results" "$tmp/divided.ward" -- "$targets/target" 100 0
mv "$tmp/results" "$tmp/out"
check "divided: the same" json '.[] | select(.field == "same") | .value == 2400'
run cc --guards always "$here/work.c" -o "$tmp/always.ward"
check "all guarded: status" [ "$status" = 0 ]
run trace --json -o "$tmp/results" "$tmp/always.ward" -- "$targets/target" 1000 0
mv "$tmp/results" "$tmp/out"
check "all guarded: calls" json '.[] | select(.field == "calls") | .value == 1000'
check "all guarded: nothing stopped" json '.[] | select(.type == "end") | .violations == []'


# What is defined is not stopped: a loop of many rounds that is proven to end, also where everything is guarded; an
# index into the arguments reads those only.
cat >"$tmp/long.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count calls, rounds, crossed, sum;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long i, x = ev->arg[0];

	st->calls++;
	for (i = 0; i < 10000; i++)
		st->rounds += x >= i >> 8;
	st->sum += ev->arg[st->crossed % 6];
	if (x & 1)
		goto middle;
top:
	st->crossed++;
middle:
	x = x / 2;
	if (x % 3 == 1)
		goto top;
	if (x)
		goto middle;
}
C
for guards in auto always; do
	run cc --guards $guards --max-insns 10000000 "$tmp/long.c" -o "$tmp/long.ward"
	check "long, $guards: status" [ "$status" = 0 ]
	run info --json "$tmp/long.ward"
	check "long, $guards: no field that isn't meant" json \
		'[.[] | .event_fields // empty] | flatten | index("ret") == null and index("arg[0]") != null'
	run trace --json --max-insns 10000000 -o "$tmp/results" "$tmp/long.ward" -- "$targets/target" 100 0
	mv "$tmp/results" "$tmp/out"
	check "long, $guards: all rounds" json '.[] | select(.field == "rounds") | .value == ([range(100) as $x | [10000, ($x + 1) * 256] | min] | add)'
	check "long, $guards: nothing stopped" json '.[] | select(.type == "end") | .violations == []'
done

# A bound that is known but too large for the limit, and one that the author gives.
cat >"$tmp/many.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count calls;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long i;

	WARD_BOUND(200)
	for (i = 0; i < ev->arg[1]; i++)
		st->calls += i ^ ev->arg[0];
}
C
run cc --report "$tmp/many.c" -o "$tmp/many.ward"
check "too many rounds: fuel" grep -qE 'many.c:11:2 +loop +guarded: at most 200 rounds: a run of .* may take' "$tmp/out"

# A loop is named by the line of its statement, however the optimiser has turned it round and whatever was inlined into
# it: that is where WARD_BOUND goes. One of an inlined function is named where that function has it.
cat >"$tmp/lines.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count sum, found;
	unsigned char in[65536];
};
static unsigned val(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	return 63;
}
static unsigned walk(const unsigned char *p, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n;) {
		sum += p[i];
		i += p[i] >> 4;
	}
	return sum;
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0] & 65535, i;

	for (i = 0; i < n; i += 4) {
		if (st->in[i] == '\n')
			i++;
		st->sum += val(st->in[i]);
	}
	for (i = 0; i < n;) {
		unsigned len = st->in[i] >> 5;

		if (len == 7)
			st->found++;
		i += len + 1;
	}
	const unsigned char *p = st->in, *end = p + n;
	while (p < end) {
		unsigned len = *p >> 5;

		if (len == 7)
			st->found++;
		p += len + 1;
	}
	st->sum += walk(st->in, n);
}
C
run cc --report "$tmp/lines.c" -o "$tmp/lines.ward"
check "lines of loops: those of their statements" [ "$(grep -oE 'lines.c:[0-9]+:[0-9]+ +loop ' "$tmp/out" | cut -d: -f2 | tr '\n' ' ')" = "18 29 34 42 " ]
check "lines of loops: inlined into" grep -qE '^ +inlined into .*lines.c:49:13$' "$tmp/out"
run cc --guards always --report "$tmp/lines.c" -o "$tmp/lines.ward"
run info "$tmp/lines.ward"
check "lines of loops: where runs are stopped" [ "$(grep -oE 'lines.c:[0-9]+: stops a loop' "$tmp/out" | cut -d: -f2 | sort -n | tr '\n' ' ')" = "18 29 34 42 " ]

# Two such loops, one in the other, may take too long with their fuel: that is what is said, whatever else was wrong
# with other code for it.
cat >"$tmp/nest.c" <<'C'
#include <ward/probe.h>
struct node {
	unsigned n;
	unsigned long key[14];
	struct node *kid[15];
};
struct ward_state {
	ward_count found;
	struct node *root;
	struct node pool[64];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	struct node *p = st->root;

	while (p) {
		unsigned i = 0, n = p->n;

		while (i < n && p->key[i] < ev->arg[0])
			i++;
		if (i < n && p->key[i] == ev->arg[0]) {
			st->found++;
			return;
		}
		p = p->kid[i];
	}
}
C
refused 1 'rejected: 1 violation' cc --max-insns 30000 "$tmp/nest.c" -o "$tmp/nest.ward"
check "too long: the loop" grep -qE 'nest.c:[0-9:]+ error: a run of on_work may take .*this loop may go back 409[567] times.*V-63' "$tmp/err"
sed -i 's/while (p)/WARD_BOUND(6) while (p)/; s/while (i < n/WARD_BOUND(14) while (i < n/' "$tmp/nest.c"
run cc "$tmp/nest.c" -o "$tmp/nest.ward"
check "bounded by the author: status" [ "$status" = 0 ]

# The line is the loop's own, whatever is inlined where it begins.
cat >"$tmp/reader.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	uint8_t buf[256];
	uint32_t len;
	uint64_t sum;
};
struct reader {
	const uint8_t *p, *end;
};
static uint8_t get(struct reader *r)
{
	return r->end - r->p < 1 ? 0 : *r->p++;
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	struct reader r = {st->buf, st->buf + (st->len & 255)};

	while (r.p < r.end) {
		uint8_t type = get(&r);

		for (int i = 0; i < 50; i++)
			st->sum = st->sum * 31 + type * (uint64_t)get(&r);
	}
}
C
refused 1 'rejected: 1 violation' cc --max-insns 30000 "$tmp/reader.c" -o "$tmp/reader.ward"
check "too long: the loop's line" grep -qE 'reader.c:19:2: error: a run of on_work may take .*this loop may go back [0-9]+ times.*V-63' "$tmp/err"
check "too long: shown" grep -qE '^ +19 \| .*while \(r.p < r.end\)' "$tmp/err"

# So it is where nothing has a line at the place that the loop begins with, as for constants that a loop needs; and a
# loop of an inlined function is named where that has it, with the calls below.
cat >"$tmp/product.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count runs;
	unsigned a[256][256], b[256][256], c[256][256];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	for (unsigned i = 0; i < 256; i++)
		for (unsigned j = 0; j < 256; j++) {
			unsigned sum = 0;

			for (unsigned k = 0; k < 256; k++)
				sum += st->a[i][k] * st->b[k][j];
			st->c[i][j] = sum;
		}
	st->runs++;
}
C
refused 1 'rejected: 1 violation' cc "$tmp/product.c" -o "$tmp/product.ward"
check "too long: the statement's line" grep -qE 'product.c:9:2: error: a run of on_work may take .*V-63' "$tmp/err"
check "too long: no calls" [ "$(lines 'inlined into' "$tmp/err")" = 0 ]
cat >"$tmp/pairs.h" <<'C'
static unsigned pairs(const unsigned *v, unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			s += v[i] ^ v[k];
	return s;
}
C
cat >"$tmp/pairs.c" <<'C'
#include <ward/probe.h>
#include "pairs.h"
struct ward_state {
	ward_count runs;
	unsigned a[65536];
};
static unsigned both(struct ward_state *st, unsigned n)
{
	return pairs(st->a, n);
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->runs += both(st, ev->arg[2] & 65535);
}
C
refused 1 'rejected: 1 violation' cc --max-insns 30000 "$tmp/pairs.c" -o "$tmp/pairs.ward"
check "too long: in the file where the loop is" grep -qE '^(.*/)?pairs.h:5:2: error: a run of on_work may take .*V-63' "$tmp/err"
check "too long: inlined into" grep -qE '^ +inlined into .*pairs.c:9:9, .*pairs.c:14:14$' "$tmp/err"

# A loop that goes on by `continue` is one loop, and its bound that of all ways back together.
cat >"$tmp/glob.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	char text[32];
	ward_count hits;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	const char *p = ev->arg[0] & 1 ? "a*b" : "*.c", *s = st->text, *bp = 0, *bs = 0;

	WARD_BOUND(64)
	while (*s) {
		switch (*p) {
		case '*':
			bp = ++p;
			bs = s;
			continue;
		default:
			if (*p == *s) {
				p++;
				s++;
				continue;
			}
		case 0: break;
		}
		if (!bp)
			return;
		p = bp;
		s = ++bs;
	}
	st->hits++;
}
C
run cc --max-insns 8000 "$tmp/glob.c" -o "$tmp/glob.ward"
check "several ways back: no product" [ "$status" = 0 ]

# A loop that is proven to end needs no fuel: where its rounds take too long, that is what is said, and not how many
# fuel would allow.
cat >"$tmp/chain.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state {
	ward_count n;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t p = ev->arg[0];

	for (int i = 0; i < 16 && p; i++) {
		uint64_t next = 0;

		ward_read(&next, sizeof(next), p);
		st->n += next & 1;
		p = next;
	}
}
C
refused 1 'rejected: 1 violation' cc --max-insns 1000 "$tmp/chain.c" -o "$tmp/chain.ward"
check "the rounds that it has" grep -qE 'chain.c:[0-9:]+ error: a run of on_work may take 1[0-9]{3} instructions; the limit is 1000; this loop may go back 15 times .V-63 ' "$tmp/err"
check "which are few" grep -q '^hint: let the loop go round less often, or do less in each round; or allow more with --max-insns$' "$tmp/err"

# Each loop has the bound that its author gave it: where two begin at once, the one within the other, and where its
# tests become a switch.
cat >"$tmp/bounds.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count rounds, done;
	unsigned char tape[256];
};
WARD_ENTRY("target!work")
void within(const struct ward_event *ev, struct ward_state *st)
{
	unsigned at = 0;

	st->tape[ev->arg[0] * 3 & 255] = 1;
	WARD_BOUND(90)
	for (;;) {
		WARD_BOUND(300)
		while (st->tape[at & 255] == 0)
			at++;
		if (at >= (ev->arg[0] * 3 & 255))
			break;
		at++;
	}
	st->rounds += at;
	st->done++;
}
WARD_ENTRY("target!work")
void chosen(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = ev->arg[0];

	WARD_BOUND(777)
	for (;;) {
		x = st->tape[x & 255] + x;
		if (x == 12)
			break;
		if (x == 7)
			break;
		if (x == 113)
			break;
	}
}
C
run cc "$tmp/bounds.c" -o "$tmp/bounds.ward"
check "bounds: status" [ "$status" = 0 ]
"$(dirname "$ward")/ward-verify" --explain "$tmp/bounds.ward" >"$tmp/out"
for n in 90 300 777; do
	check "bounds: a loop of $n" [ "$(grep -c "loop: goes back at most $n times" "$tmp/out")" = 1 ]
done
run trace --json -f 'target!work' -o "$tmp/results" "$tmp/bounds.ward" -- "$targets/target" 80 0
mv "$tmp/results" "$tmp/out"
check "bounds: inner rounds don't count for the outer loop" json '.[] | select(.field == "done") | .value == 80'

# What is searched for may not be there: behind NULL there is nothing, and whoever asks for it has what is found as a
# place in the buffer, in code as optimised as any.
cat >"$tmp/asked.c" <<'C'
static const char *const lines[] = {"GET /index.html HTTP/1.1\r\n", "POST /api/users?id=3 HTTP/1.1\r\n", "GET /x HTTP/1.0\r\n", "BOGUS\r\n", "", "PROPPATCH /dav HTTP/1.1", "GET x"};
__attribute__((noipa)) int handle(const char *line) { return line[0] + line[0] / 3; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 700; i++)
		sum += handle(lines[i % 7]);
	return sum == 0;
}
C
gcc -O2 "$tmp/asked.c" -o "$tmp/asked"
cat >"$tmp/request.c" <<'C'
#include <string.h>
#include <ward/imports.h>
#include <ward/probe.h>
struct route { char method[8]; char prefix[24]; };
struct ward_state {
	ward_count bad, total;
	WARD_MAP(struct route, ward_count, 256) routes;
	ward_count http10, http11;
	WARD_LINEAR(0, 8, 16) path_length;
};
static int parse(const char *s, struct route *r, size_t *path_len, int *minor)
{
	const char *sp = strchr(s, ' '), *path, *end, *slash;
	if (!sp || sp - s >= (long)sizeof r->method)
		return -1;
	memcpy(r->method, s, sp - s);
	path = sp + 1;
	if (*path != '/')
		return -1;
	end = strchr(path, ' ');
	if (!end)
		return -1;
	*path_len = end - path;
	slash = path + 1;
	while (slash < end && *slash != '/' && *slash != '?')
		slash++;
	size_t n = slash - path;
	if (n > sizeof r->prefix - 1)
		n = sizeof r->prefix - 1;
	memcpy(r->prefix, path, n);
	if (strncmp(end + 1, "HTTP/1.", 7) != 0)
		return -1;
	*minor = end[8] - '0';
	return 0;
}
WARD_ENTRY("asked!handle")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	char line[256];
	struct route r = { 0 };
	size_t len;
	int minor;
	st->total++;
	if (ward_read_str(line, sizeof line, ev->arg[0]) == 0 || parse(line, &r, &len, &minor) < 0) {
		st->bad++;
		return;
	}
	ward_map_add(&st->routes, r, 1);
	ward_linear_add(&st->path_length, len);
	if (minor == 1) st->http11++; else st->http10++;
}
C
run cc --report "$tmp/request.c" -o "$tmp/request.ward"
check "a search: status" [ "$status" = 0 ]
check "a search: no other code is needed for it" grep -qE '^[0-9]+ proven, [0-9]+ guarded$' "$tmp/out"
run trace --json -o "$tmp/results" "$tmp/request.ward" -- "$tmp/asked"
check "a search, traced: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "a search: what was found" json '[.[] | select(.field == "routes") | .entries[] | [.key.method, .key.prefix, .value]] | sort == [["GET", "/index.html", 100], ["GET", "/x", 100], ["POST", "/api", 100]]'
check "a search: and what wasn't" json '(.[] | select(.field == "bad") | .value == 400) and (.[] | select(.type == "end") | (.violations // []) == [])'

# A stack of one's own, where what it holds is put at a computed place beside registers that are saved: only what is
# stored there needs a guard.
cat >"$tmp/aside.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct item {
	unsigned long at;
	int depth;
};
struct ward_state {
	ward_count rounds, cut, done;
	ward_max deepest;
	WARD_MAP(unsigned, ward_count, 64) seen;
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	struct item stack[8];
	int top = 0;

	stack[top++] = (struct item){ev->arg[0] % 64, 1};
	WARD_BOUND(200)
	while (top > 0) {
		struct item it = stack[--top];
		char text[16];

		if (!it.at)
			continue;
		ward_read_str(text, sizeof(text), it.at);
		st->rounds++;
		ward_max_add(&st->deepest, (unsigned long)it.depth);
		ward_map_add(&st->seen, (unsigned)it.at, 1);
		if (top + 2 > 8) {
			st->cut++;
			break;
		}
		stack[top++] = (struct item){it.at / 2, it.depth + 1};
		stack[top++] = (struct item){it.at / 3, it.depth + 1};
	}
	st->done++;
}
C
run cc --report "$tmp/aside.c" -o "$tmp/aside.ward"
check "a stack of one's own: status" [ "$status" = 0 ]
check "a stack of one's own: its stores, and the loop" grep -qE '^[0-9]+ proven, 3 guarded$' "$tmp/out"
check "a stack of one's own: why" grep -qE 'aside.c:3[34]:[0-9]+ +store of 8 bytes +guarded: the store may seem to reach' "$tmp/out"
run trace --json -o "$tmp/results" "$tmp/aside.ward" -- "$targets/target" 64 0
check "a stack of one's own, traced: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
visits() { # how often at is visited: itself, and what comes of it
	jq -n 'def v: if . == 0 then 0 else 1 + (. / 2 | floor | v) + (. / 3 | floor | v) end; [range(64) | v] | add'
}
check "a stack of one's own: each is visited" json ".[] | select(.field == \"rounds\") | .value == $(visits)"
check "a stack of one's own: to the end" json '(.[] | select(.field == "done") | .value == 64) and (.[] | select(.field == "cut") | .value == 0) and (.[] | select(.field == "deepest") | .value == 6)'

# What a call of an import lends it. The target says what it is to find: how many bytes in pieces of which 64 fit, and
# their sum.
cat >"$tmp/lender.c" <<'C'
#include <stdio.h>
struct piece { const char *base; unsigned long length; };
__attribute__((noipa)) long handle(const struct piece *v, long n, unsigned long length, unsigned long at) { return v[n % 4].base[0] + (long)(length + at); }
int main(void)
{
	static char text[256];
	unsigned long bytes = 0, sum = 0;
	for (unsigned i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 7 + 1);
	for (unsigned i = 0; i < 300; i++) {
		struct piece v[4];
		unsigned long n = 0;
		for (unsigned k = 0; k < 4; k++) {
			v[k] = (struct piece){text + i % 100 + k, (i * 7 + k * 13) % 40};
			for (unsigned long j = 0; j < v[k].length && n < 64; j++, n++)
				sum += (unsigned char)v[k].base[j];
		}
		bytes += n;
		handle(v, i % 5, i % 100, i % 64);
	}
	return printf("%lu %lu\n", bytes, sum) < 0;
}
C
gcc -O2 "$tmp/lender.c" -o "$tmp/lender"
lent() { # what, then conditions on the results: the file of that name is compiled and traced, and its guarded calls are on these lines of it, if any
	local what=$1 lines=$2
	run cc --report "$tmp/$what.c" -o "$tmp/$what.ward"
	check "$what: status" [ "$status" = 0 ]
	check "$what: the call is guarded" [ "$(grep -oE "$what.c:[0-9]+:[0-9]+ +buffer +guarded: ward_" "$tmp/out" | cut -d: -f2 | sort -u | tr '\n' ' ')" = "${lines:+$lines }" ]
	if [ "$lines" ]; then
		refused 1 'rejected' cc --guards never "$tmp/$what.c" -o "$tmp/none.ward"
		check "$what, without guards: why" grep -q "$what.c:[0-9:]* error: ward_.* .V-73 buffer-" "$tmp/err"
	else
		run cc --guards never "$tmp/$what.c" -o "$tmp/none.ward"
		check "$what, without guards: status" [ "$status" = 0 ]
	fi
	run cc --guards always "$tmp/$what.c" -o "$tmp/all.ward"
	check "$what, all guarded: status" [ "$status" = 0 ]
	run trace --json -o "$tmp/results" "$tmp/$what.ward" -- "$tmp/lender"
	check "$what, traced: status" [ "$status" = 0 ]
	found=$(cat "$tmp/out")
	mv "$tmp/results" "$tmp/out"
	shift 2
	for condition in "$@"; do check "$what, traced" json "$condition"; done
}
head='#include <ward/imports.h>
#include <ward/probe.h>
struct piece { uint64_t base, length; };'

# A length that is tested along with something else: compilers make one branch of both, which says nothing of either.
# The author's test is the one that counts.
cat >"$tmp/tested.c" <<C
$head
struct ward_state { ward_count bytes, done; WARD_PRIVATE(char buf[64];); ward_count behind; };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
	size_t length = ev->arg[2];
	if ((int)ev->arg[1] != 3 || length > sizeof st->buf) return;
	st->bytes += ward_read(st->buf, length, ev->arg[0]);
	st->done++;
}
C
lent tested 10 '.[] | select(.field == "bytes") | .value == 1287' '.[] | select(.field == "done") | .value == 39' \
	'.[] | select(.field == "behind") | .value == 0' \
	'.[] | select(.type == "end") | (.violations // []) == []'

# However the tests are put together, the guard's limit is what they say, by which the call's cost is known; and
# nothing that they let through stops. What they don't bound may be as long as what is left of the state.
bounded() { # the author's tests, and the status of the compiler with a limit that only a bounded length keeps
	cat >"$tmp/bounded.c" <<C
$head
struct ward_state { ward_count tested, done; WARD_PRIVATE(char buf[64];); unsigned long more[1000]; };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
	size_t m = ev->arg[2], at = 0;
	$1
	st->tested++;
	ward_read(st->buf + at, m, ev->arg[0]);
	st->done++;
}
C
	run cc --report --max-insns 200 "$tmp/bounded.c" -o "$tmp/bounded.ward"
	check "bounded by $1: status" [ "$status" = "$2" ]
	[ "$status" = 0 ] || return
	check "bounded by $1: guarded" grep -qE '^[0-9]+ proven, 1 guarded$' "$tmp/out"
	run trace --json -o "$tmp/results" "$tmp/bounded.ward" -- "$tmp/lender"
	mv "$tmp/results" "$tmp/out"
	check "bounded by $1, traced: $3 runs" json "[.[] | select(.field == \"tested\" or .field == \"done\") | .value] == [$3, $3] and (.[] | select(.type == \"end\") | (.violations // []) == [])"
}
bounded 'if ((int)ev->arg[1] != 3 || m > 64) return;' 0 39
bounded 'if ((int)ev->arg[1] < 3) return; if (m > sizeof st->buf) return;' 0 78
bounded 'if (!ev->arg[0]) return; if (m > sizeof st->buf) return;' 0 195
bounded 'if (!(ev->arg[3] <= 10 && m < sizeof st->buf)) return;' 0 33
bounded 'if (ev->arg[1] == 2 || ev->arg[0] == 0 || m == 0 || m > 64) return;' 0 153
bounded 'at = ev->arg[3]; if (at > 64) return; if ((int)ev->arg[1] != 3 || m > sizeof st->buf - at) return;' 0 20
bounded 'at = ev->arg[3]; if (at > 60 || ev->arg[1] == 3 || 64 - at < m) return;' 0 82
bounded 'at = ev->arg[3]; if ((int)ev->arg[1] != 3 || m > sizeof st->buf - at) return;' 1
bounded 'if (ev->arg[1] < 2) { if (ev->arg[3] > 60 || m > 64) return; }' 1
bounded 'if (ev->arg[1] == 3 && m > 64) return;' 1

# One that nobody tests stops where the state ends.
cat >"$tmp/untested.c" <<C
$head
struct ward_state { ward_count bytes, done; WARD_PRIVATE(char buf[64];); };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
	st->bytes += ward_read(st->buf, ev->arg[2], ev->arg[0]);
	st->done++;
}
C
lent untested 8 '.[] | select(.field == "bytes") | .value == 3 * 64 * 65 / 2' \
	'.[] | select(.field == "done") | .value == 195' \
	'.[] | select(.type == "end") | [.violations[] | select(.line == 8) | .count] == [105]'

# Pieces one behind the other, in the state and in a variable; what a variable holds is then compared with where it
# came from.
gather='
	struct piece v[4];
	size_t n = 0;
	if (!ward_read(v, sizeof v, ev->arg[0])) return;
	for (int i = 0; i < 4 && n < sizeof buf; i++) {
		size_t take = v[i].length < sizeof buf - n ? v[i].length : sizeof buf - n;
		if (take && !ward_read(buf + n, take, v[i].base)) break;'
cat >"$tmp/pieces.c" <<C
$head
struct ward_state { ward_count bytes, sum; WARD_PRIVATE(char lent[64];); ward_count behind; };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
#define buf st->lent$gather
		n += take;
	}
	st->bytes += n;
	for (size_t i = 0; i < n; i++) st->sum += (unsigned char)buf[i];
}
C
lent pieces 14 '.[] | select(.field == "behind") | .value == 0' \
	'.[] | select(.type == "end") | (.violations // []) == []'
check "pieces: all that fit" json ".[] | select(.field == \"bytes\") | .value == ${found% *}"
check "pieces: in their places" json ".[] | select(.field == \"sum\") | .value == ${found#* }"
cat >"$tmp/local.c" <<C
$head
struct ward_state { ward_count bytes, sum, same, pieces; };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
	char buf[64];$gather
		st->pieces++;
		st->same += ward_match(buf + n, take, v[i].base);
		n += take;
	}
	st->bytes += n;
	for (size_t i = 0; i < n; i++) st->sum += (unsigned char)buf[i];
}
C
lent local "" '.[] | select(.type == "end") | (.violations // []) == []' \
	'[.[] | select(.field == "same" or .field == "pieces") | .value] | .[0] == .[1] and .[0] > 600'
check "local: all that fit" json ".[] | select(.field == \"bytes\") | .value == ${found% *}"
check "local: in their places" json ".[] | select(.field == \"sum\") | .value == ${found#* }"

# A place that nobody tests, either: what would begin or end behind the state stops, and nothing else.
cat >"$tmp/anywhere.c" <<C
$head
struct ward_state { ward_count bytes, done; WARD_PRIVATE(char buf[64];); };
WARD_ENTRY("lender!handle")
void on_handle(const struct ward_event *ev, struct ward_state *st)
{
	st->bytes += ward_read(st->buf + ev->arg[3], ev->arg[2], ev->arg[0]);
	st->done++;
}
C
fit=$(jq -n '[range(300) | select(. % 64 + . % 100 <= 64) | . % 100] | "\(length) \(add)"' -r)
lent anywhere 8 ".[] | select(.field == \"done\") | .value == ${fit% *}" \
	".[] | select(.field == \"bytes\") | .value == ${fit#* }" \
	".[] | select(.type == \"end\") | [.violations[] | select(.line == 8) | .count] == [300 - ${fit% *}]"

summary
