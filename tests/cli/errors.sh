#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What can be wrong with probes and targets: the right exit status, one error, one hint, and the target unharmed.
. "$(dirname "$0")/lib.sh"

run cc "$here/work.c" -o "$tmp/work.ward"
check "the probe compiles" [ "$status" = 0 ]

# Probes that the compiler refuses.
cat >"$tmp/syntax.c" <<'C'
#include <ward/probe.h>
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, unsigned long *st)
{
	*st += ev->nothing;
}
C
refused 1 'syntax.c' cc "$tmp/syntax.c" -o "$tmp/syntax.ward"
check "the compiler names the place" grep -q 'syntax.c:5:[0-9]*: error: ' "$tmp/err"
check "no module of a probe that doesn't compile" [ ! -e "$tmp/syntax.ward" ]
echo stale >"$tmp/syntax.ward"
refused 1 'syntax.c' cc "$tmp/syntax.c" -o "$tmp/syntax.ward"
check "nor is an older one left" [ ! -e "$tmp/syntax.ward" ]

# What the dialect doesn't have comes with what to write instead; and that is accepted.
cat >"$tmp/lacking.c" <<'C'
#include <string.h>
#include <ward/probe.h>
struct ward_state {
	double mean;
	char from[16], to[8];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->mean = (double)ev->arg[0];
	strcpy(st->to, st->from);
	strncpy(st->to, st->from, 8);
}
C
for profile in user kernel; do
	run cc --profile $profile "$tmp/lacking.c" -o "$tmp/lacking.ward"
	check "$profile: floating point" grep -q 'lacking.c:10:11: error: floating point' "$tmp/err"
	check "$profile: why, and what instead" grep -q '^hint: no profile has it: .* Count in integers: ' "$tmp/err"
	for name in strcpy strncpy; do
		check "$profile: $name" grep -q "error: unknown external '$name'" "$tmp/err"
	done
	check "$profile: what instead" [ "$(grep -c '^hint: copy as many bytes as have room: n = strnlen(from, sizeof to - 1); memcpy(to, from, n); to\[n\] = 0; ' "$tmp/err")" = 2 ]
done
{
	sed -n '1,/^{/p' "$tmp/lacking.c"
	echo 'size_t n; n = strnlen(st->from, sizeof st->to - 1); memcpy(st->to, st->from, n); st->to[n] = 0; (void)ev; }'
} >"$tmp/instead.c"
run cc "$tmp/instead.c" -o "$tmp/instead.ward"
check "what to write instead is accepted" [ "$status" = 0 -a ! -s "$tmp/err" ]

# What is declared nowhere is declared in a header; or a probe doesn't have it.
missing() { # the expression, the hint
	printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { ward_count n; };' \
		'WARD_ENTRY("target!work") void on_work(const struct ward_event *ev, struct ward_state *st)' \
		"{ st->n += $1; }" >"$tmp/missing.c"
	refused 1 'no probe could be made' cc "$tmp/missing.c" -o "$tmp/missing.ward"
	check "missing: $1" grep -q "^hint: .*$2" "$tmp/err"
}
missing 'strlen("x")' '#include <string.h>, which declares strlen$'
missing 'mempcpy(st, ev, 8) == st' '#define _GNU_SOURCE before #include <string.h>, which declares mempcpy only then'
missing 'memcpy(st, ev, 8) == st' '#include <string.h>, which declares memcpy$'
missing 'ward_clock(1)' '#include <ward/imports.h>, which declares ward_clock$'
missing 'getpriority(0, 0)' 'functions of its own, of <ward/probe.h> and <ward/imports.h>, and some of <string.h>$'
missing 'strstr("x", "y") != 0' 'strchr and strrchr, declared as <string.h> does$'
missing '1; printf("%lu", st->n)' 'a probe does not print: count in the state'
missing '1; char *p = malloc(10)' 'a fixed state: put an array or a WARD_MAP into it$'
missing 'isdigit(1)' '#include <ctype.h>, which declares isdigit$'
missing '1; assert(st->n)' '#include <assert.h>, which declares assert$'
missing 'atoi("1")' 'go over the digits in a loop with a limit'
missing 'bpf_ktime_get_ns()' 'ev->time is the time stamp counter'
missing 'WARD_GET((struct file *)ev->arg[0], f_flags)' '#include <ward/kernel.h>, which declares WARD_GET, and compile for the kernel: ward cc --profile kernel, ward trace --kernel$'
missing 'current->pid' 'ev->tid is the running thread.s number'
missing 'ward_map_lookup(&st->n, 1)' 'ward_map_get(&st->map, key, &value) copies the value'
missing '1; ward_map_delete(&st->n, 1)' 'ward_map_pop takes it out'
missing '1; char b[8]; snprintf(b, 8, "%lu", st->n)' 'a probe formats no text: keep the number'
missing '1; struct timespec t; clock_gettime(1, &t)' 'ward_clock(WARD_CLOCK_MONOTONIC) of <ward/imports.h> has nanoseconds'
missing '1; qsort(st, 1, 1, 0)' 'sort with two loops over the array'
missing '1; ssize_t size = 0' '#include <sys/types.h>, which declares ssize_t$'

grep -v probe.h "$tmp/missing.c" >"$tmp/headless.c"
refused 1 'no probe could be made' cc "$tmp/headless.c" -o "$tmp/missing.ward"
check "without probe.h" grep -q '^ *hint: #include <ward/probe.h>, which declares ward_' "$tmp/err"

sed 's/ward_count n/ward_cuont n/' "$tmp/missing.c" >"$tmp/mistyped.c"
refused 1 'no probe could be made' cc "$tmp/mistyped.c" -o "$tmp/missing.ward"
check "a type that no header has" sh -c '! grep -q "declares ward_" "$0"' "$tmp/err"

# A table in a header has its place there; what no probe function reaches may be anything.
printf '%s\n' '/* a table that changes */' '' '' 'static const char *names[3] = {' '	"one", "two", "three"' '};' \
	'static inline char name_of(unsigned i) { names[i % 2] = names[2]; return names[i % 3][0]; }' >"$tmp/names.h"
printf '%s\n' '#include <ward/probe.h>' '#include "names.h"' 'struct ward_state { ward_count n; };' \
	'WARD_ENTRY("target!work") void on_work(const struct ward_event *ev, struct ward_state *st)' \
	'{ st->n += name_of(ev->arg[0]); }' >"$tmp/table.c"
run cc "$tmp/table.c" -o "$tmp/table.ward"
check "a table in a header that changes" [ "$status" = 1 ]
check "a table in a header" grep -q "names.h:4:20: error: the initialiser of 'names' holds an address" "$tmp/err"
sed -i 's/names\[i % 2\] = names\[2\]; //' "$tmp/names.h"
run cc "$tmp/table.c" -o "$tmp/table.ward"
check "a table in a header that does not change" [ "$status" = 0 -a ! -s "$tmp/err" ]

# A WARD_ENTRY whose place has no quotes, in the words of an author.
printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { ward_count n; };' 'WARD_ENTRY(libc.so.6!write)' \
	'void on_write(const struct ward_event *ev, struct ward_state *st) { st->n += ev->tid; }' >"$tmp/unquoted.c"
run cc "$tmp/unquoted.c" -o "$tmp/unquoted.ward"
check "no quotes" grep -q '^hint: a place is a string: WARD_ENTRY("libc.so.6!read")$' "$tmp/err"

# Several hints stand below what they are on, each once and each header once.
missing 'strlen("x") + ward_clock(1) + strnlen("x", 1) + getpriority(0, 0) + getpriority(1, 1)' \
	'correct the errors above$'
check "three hints" [ "$(grep -c '^    hint: ' "$tmp/err")" = 3 ]
below() { # the error, the hint that follows it
	check "below: $1" sh -c 'awk -v error="$1" -v hint="    hint: $2" '"'"'/: error: /{on = index($0, error)} index($0, hint) == 1 && on {found = 1} END {exit !found}'"'"' "$0"' "$tmp/err" "$1" "$2"
}
below "function 'strlen'" '#include <string.h>, which declares strlen'
below "function 'ward_clock'" '#include <ward/imports.h>, which declares ward_clock'
below "function 'getpriority'" 'a probe can call functions of its own'

# What C says of types, and what an author does about it.
mistaken() { # the member, the statement, the hint
	printf '%s\n' '#include <ward/probe.h>' "struct ward_state { $1 x; };" \
		'WARD_ENTRY("target!work") void on_work(const struct ward_event *ev, struct ward_state *st)' \
		"{ $2; }" >"$tmp/mistaken.c"
	refused 1 'no probe could be made' cc "$tmp/mistaken.c" -o "$tmp/mistaken.ward"
	check "mistaken: $2" grep -q "^hint: .*$3" "$tmp/err"
}
mistaken 'WARD_PRIVATE(long last;) ward_count' '(void)0' 'a member ends with a semicolon, .*WARD_PRIVATE(\.\.\.);'
mistaken 'WARD_MAP(int, ward_count, 8) m ward_count' '(void)0' 'a member ends with a semicolon'
mistaken 'WARD_TOP(void *, 4)' 'ward_top_add(&st->x, ev->caller, 1)' 'write (void \*)ev->caller$'
mistaken 'WARD_MAP(unsigned long, ward_stat, 4)' 'ward_map_add(&st->x, ev->tid, ev->elapsed)' \
	'what ward_map_at(&st->map, key) points to'
mistaken 'WARD_MAP(unsigned long, ward_count, 4)' 'ward_map_add(&st->x, ev->tid)' \
	'its arguments are ward_map_add(map, k, n), and the first is an address: &st->name'
mistaken 'WARD_MAP(unsigned long, ward_count, 4)' 'ward_map_at(&st->x, ev->tid, 1)' \
	'its arguments are ward_map_at(map, k), '
mistaken 'WARD_TOP(unsigned long, 4)' 'ward_top_add(&st->x, ev->tid)' 'its arguments are ward_top_add(top, k, n), '
mistaken 'WARD_MAP(unsigned long, ward_count, 4)' 'ward_map_add(st->x, ev->tid, 1)' \
	'the member is given by its address: &st->name'
mistaken 'WARD_CALLS(unsigned long, 4)' 'ward_calls_enter(st->x, ev->sp, 1)' \
	'the member is given by its address: &st->name'
mistaken 'WARD_MAP(unsigned long, ward_count, 4)' 'ward_count *c = ward_map_find(&st->x, ev->tid); (*c)++' \
	'ward_map_get(&st->map, key, &value) copies .* ward_map_pop takes it out as well, ward_map_at'
mistaken 'WARD_MAP(unsigned long, ward_count, 4)' 'unsigned long k = 1; unsigned i; if (ward_map_find(&st->x, &k, 0, &i)) (void)0' 'ward_map_get(&st->map, key, &value) copies'
mistaken 'WARD_MAP(unsigned long, ward_stat, 4)' 'st->x + 1' 'correct the errors above$'
mistaken 'WARD_MAP(char[16], ward_count, 4)' '(void)st' 'an array goes into a struct: struct name'
check "an array has its place" grep -q 'mistaken.c:2:.* error: .*a key that is an array goes into a struct' "$tmp/err"
for array in 'WARD_MAP(int, char[16], 4)' 'WARD_RECENT(char[16], int, 4)' 'WARD_RECENT(int, char[16], 4)' \
	'WARD_TOP(char[16], 4)' 'WARD_CHOPSTIX(char[16], 4, 4)' 'WARD_CALLS(char[16], 4)' 'WARD_RING(char[16], 4)' \
	'WARD_FLIGHT(long[4], 4, 4)'; do
	mistaken "$array" '(void)st' 'an array goes into a struct: struct name'
done
mistaken 'char x[16]; ward_count' 'int *p = ev->arg[0]; (void)p' 'write (void \*)ev->caller$'
mistaken 'ward_count' 'memcpy(ev->arg[0], st, 8)' '#include <string.h>, which declares memcpy$'
mistaken 'long double' 'st->x = ev->arg[0]' 'no profile has it: '

other() { # the first lines; the hint
	printf '%s\n' "$1" >"$tmp/other.c"
	refused 1 'no probe could be made' cc "$tmp/other.c" -o "$tmp/other.ward"
	check "other: $1" grep -q "^hint: .*$2" "$tmp/err"
}
function='void on_work(const struct ward_event *ev, unsigned long *st) { *st += ev->tid; }'
other '#include "vmlinux.h"' '#include <ward/kernel.h> in its place'
other '#include <bpf/bpf_helpers.h>' 'a probe has no BPF helpers'
other '#include <vector>' 'a probe is C, not C++$'
other "$(printf '#include <ward/probe.h>\nextern "C" {\nWARD_ENTRY()\n%s\n}' "$function")" 'a probe is C, not C++'
other "$(printf 'WARD_ENTRY("target!work")\n%s' "$function")" '#include <ward/probe.h>, which declares WARD_ENTRY$'
other "$(printf '#include <ward/probe.h>\nWARD_ENTRY\n%s' "$function")" 'or WARD_ENTRY() to give the place with -f$'
other "$(printf '#include <ward/probe.h>\nWARD_ENTRY(target!work)\n%s' "$function")" 'a place is a string: WARD_ENTRY("'
other "$(printf '#include <ward/probe.h>\nWARD_ENTRY("target!work", "target!main")\n%s' "$function")" \
	'a WARD_ENTRY has one place: '
other "$(printf '#include <ward/probe.h>\n#include <ward/imports.h>\nWARD_ENTRY("target!work")\nvoid on_work(const struct ward_event *ev, unsigned long *st) { ward_read(ev->arg[0], st, 8); }')" 'an import is given the buffer, its length, and the target.s address, in this order$'
other "$(printf '#include <ward/probe.h>\nstatic void set(int *p) { *p = 1; }\nWARD_ENTRY("target!work")\nvoid on_work(const struct ward_event *ev, unsigned long *st) { set(ev->arg[0]); }')" 'what the target points to is a number here'

# What is permitted, and hardly meant.
meant() { # the site, the statement, the warning, its line, how many warnings there are
	printf '%s\n' '#include <ward/probe.h>' '#include <ward/imports.h>' '#include <string.h>' \
		'struct ward_state { ward_count n; char text[8], more[8]; WARD_MAP(const char *, ward_count, 8) texts; WARD_MAP(unsigned long, ward_count, 8) numbers; WARD_MAP(void *, ward_count, 8) symbols; WARD_TOP(char *, 4) top; WARD_RECENT(char *, ward_count, 8) recent; WARD_CHOPSTIX(char *, 8, 8) chopstix; };' "WARD_ENTRY(\"$1\")" 'void on_work(const struct ward_event *ev, struct ward_state *st)' "{ char b[8], c[32] = {0}; (void)b, (void)c, (void)ev; $2; }" >"$tmp/meant.c"
	run cc "$tmp/meant.c" -o "$tmp/meant.ward"
	check "meant: $1 $2" [ "$status" = 0 -a "$(grep -c 'warning: ' "$tmp/err")" = \
		"$([ -z "${3:-}" ] && echo 0 || echo "${5:-1}")" ]
	[ -z "${3:-}" ] || check "meant: $1 $2: warning" grep -q "meant.c:${4:-7}:[0-9]*: warning: .*$3" "$tmp/err"
}
meant 'target!work' 'st->n++'
meant 'target!work' 'while (1) st->n++' 'nothing ends this loop: each run that reaches it is stopped there'
meant 'target!work' 'if (ev->tid == 1) for (;;) {}' 'nothing ends this loop'
meant 'target!work' 'for (;;) { for (int i = 0; i < 4; i++) st->n++; if (ev->tid) continue; st->n += 2; }' \
	'nothing ends this loop'
meant 'target!work' 'while (1) { if (st->n++ > 9) break; }'
meant 'target!work' 'while (1) { if (st->n++ > 9) return; }'
meant 'target!work' 'for (unsigned i = 7; i >= 0; i--) st->n++' 'unsigned expression >= 0 is always true' 7 2
meant 'target!work' 'for (unsigned i = 7; i >= 0; i--) st->n++' 'no run leaves this loop' 7 2
meant 'target!work' 'ward_read(c, sizeof c, ev->arg[1]); ward_read(b, 16, ev->arg[0]); st->n += b[0] + c[1]' \
	'the buffer is shorter than the length'
meant 'target!work' 'struct { char a[8], b[24]; } x; ward_read_str(x.a, 9, ev->arg[0]); st->n += x.b[0]' \
	'the buffer is shorter than the length'
meant 'target!work' 'struct { char a[8], b[24]; } x; ward_read(&x, sizeof x, ev->arg[0]); ward_read(x.b + 4, 20, ev->arg[0]); st->n += x.b[0]'
meant 'target!work' 'ward_read_str(st->text, sizeof st->text, ev->arg[0]); if (ev->ret <= 8) ward_read(st->more, ev->ret, ev->arg[0])'
meant 'target!work' 'static unsigned long last; st->n += ev->time - last; last = ev->time' \
	"all threads write the one 'last'"
meant 'target!work' 'static struct { int x; char b[8]; } s; ward_read(s.b, 8, ev->arg[0]); st->n += s.b[1]' \
	"all threads write the one 's'"
meant 'target!work' 'static struct { int x[2]; } s; memset(&s, (int)ev->arg[0], sizeof s); st->n += s.x[1]' \
	"all threads write the one 's'"
meant 'target!work' 'static unsigned weight[4] = {1, 2, 3, 4}; st->n += weight[ev->arg[0] & 3]'
meant 'target!work' 'static char word[4] = "GET"; st->n += strlen(word) + memcmp(word, st->text, 3)'
meant 'target!work' 'ward_map_add(&st->texts, (const char *)ev->arg[0], 1)' \
	'the key is the address of a text, not what the text says'
meant 'target!work' 'ward_top_add(&st->top, (char *)ev->arg[0], 1)' 'the key is the address of a text'
meant 'target!work' 'ward_recent_add(&st->recent, (char *)ev->arg[0], 1)' 'the key is the address of a text'
meant 'target!work' 'ward_chopstix_add(&st->chopstix, (char *)ev->arg[0])' 'the key is the address of a text'
meant 'target!work' 'ward_map_add(&st->numbers, ev->arg[0], 1); ward_map_add(&st->symbols, (void *)ev->caller, 1)'
meant 'kernel!vfs_read' 'st->n++' "the site 'kernel!vfs_read' of 'on_work' is the kernel's, and the module is for processes" 6
meant 'kernel:sched:sched_switch' 'st->n++' "is the kernel's" 6
meant ':return' 'st->n++'
meant '' 'st->n++'

# Probes that can't be proven: an index that nothing bounds.
cat >"$tmp/wild.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count at[16];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->at[ev->arg[0]]++;
}
C
refused 1 'rejected' cc --guards never "$tmp/wild.c" -o "$tmp/wild.ward"
check "the verifier names the place" grep -q 'wild.c:8[0-9:]*: error: .*V-3[01]' "$tmp/err"
check "no module of a probe that isn't proven" [ ! -e "$tmp/wild.ward" ]
check "nor anything half written" [ -z "$(ls "$tmp" | grep 'wild.ward')" ]

check "and shows it" grep -q '^    8 | .st->at\[ev->arg\[0\]\]++;' "$tmp/err"
sed 's/st->at.*/if (!__builtin_strcmp((const char *)ev->arg[0], "\/etc\/passwd")) st->at[0]++;/' "$tmp/wild.c" \
	>"$tmp/follows.c"
refused 1 'rejected: [0-9]* violations' cc --guards never "$tmp/follows.c" -o "$tmp/wild.ward"
check "what is the same is said once" [ "$(grep -c 'follows.c:8[0-9:]*: error: .* times)$' "$tmp/err")" = 1 -a \
	"$(grep -c 'error: ' "$tmp/err")" = 1 ]
sed 's/st->at.*/char b[8]; ward_read(b, 64, ev->arg[1]); st->at[0] += b[0];/; 1i #include <ward/imports.h>' \
	"$tmp/wild.c" >"$tmp/short.c"
refused 1 'rejected' cc "$tmp/short.c" -o "$tmp/wild.ward"
check "a buffer that is too short" grep -q '^hint: .*sizeof(\?buffer)' "$tmp/err"

# What is wrong, at which line, where the number comes from, and the way out: of the body of a probe whose state is
# `unsigned long n; unsigned char at[16];`.
wrong() { # name, error, hint; the body on standard input
	{
		printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { unsigned long n; unsigned char at[16]; };' 'WARD_ENTRY("target!work")' \
			'void on_work(const struct ward_event *ev, struct ward_state *st)' '{'
		cat
		echo '}'
	} >"$tmp/$1.c"
	refused 1 'rejected: 1 violation' cc --guards never "$tmp/$1.c" -o "$tmp/$1.ward"
	check "$1: the error says so" grep -q "/$1\.c:$2" "$tmp/err"
	check "$1: the hint helps" grep -q "^hint: .*$3" "$tmp/err"
}
wrong off-by-one '9[0-9:]*: error: store of 1 byte at state+\[8, 24\]; state has 24 bytes; r.. was loaded at .*/off-by-one.c:6 and not bounded enough .V-31 ' 'if (i < n)' <<'C'
	unsigned long i = ev->arg[0];

	if (i <= 16)
		st->at[i] = 1;
C
wrong negative '8[0-9:]*: error: store of 1 byte at state+\[-2147483640, 23\]; .* was loaded at .*/negative.c:6 and may be negative .V-31 ' 'i >= 0' <<'C'
	int i = (int)ev->arg[0];
	if (i < 16)
		st->at[i] = 1;
C
wrong local '8[0-9:]*: error: store of 1 byte at stack+\[.* was loaded at .*/local.c:7 and .* .V-33 ' 'index' <<'C'
	unsigned char of[16] = {0};
	unsigned i = (unsigned)ev->arg[0] & 255;
	of[i] = 1;
	st->n += of[ev->arg[1] & 15];
C
wrong endless '6[0-9:]*: error: nothing bounds the loop that begins at .* r.. was loaded at .*/endless.c:6 and never bounded .V-62 ' 'a counter with a constant limit' <<'C'
	while (st->n)
		st->n = st->n * 3 + ev->arg[0];
C
wrong long '[78][0-9:]* error: a run of on_work may take more than 2^64 instructions; the limit is 4194304; this loop may go back .* times; r.. was loaded at .*/long.c:6 and never bounded .V-63 ' 'if (n > 64) n = 64' <<'C'
	unsigned long n = ev->arg[2], x = 1;
	for (unsigned long i = 0; i < n; i++)
		x = x * 31 + st->at[i & 15];
	st->n = x;
C
wrong divided '6[0-9:]*: error: the divisor is any number; it must not be zero; the divisor was loaded at .*/divided.c:6 and may be zero .V-53 ' 'test the divisor' <<'C'
	st->n = st->n / ev->arg[1];
C
wrong goes-on '11[0-9:]*: error: ward_read is called with state+8 in rdi, argument 1: it writes 0 to 2^64-1 bytes there, .* rsi was loaded at .*/goes-on.c:11 and never bounded .V-73 ' 'bound the length' <<'C'
	extern uint64_t ward_read(void *buffer, size_t length, uint64_t address);
	if (ev->arg[0] > 2)
		return;
	st->n++;

	ward_read(st->at, ev->arg[1], ev->arg[0]); /* the last thing it does is a jump */
C
wrong followed '7[0-9:]*: error: load of 1 byte at an address that is any number; .* r.. was loaded at .*/followed.c:6 and is no pointer to granted memory .V-30 ' 'ward_read' <<'C'
	const char *path = (const char *)ev->arg[0];
	st->n += path[0] == '/';
C

# A buffer at an unknown place in the state, of a length that is known: the length isn't to blame.
cat >"$tmp/index.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state { int count; char names[6][24]; };
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	for (st->count = 0; st->count < 6; st->count++) {
		uint64_t p = 0;
		ward_read(&p, sizeof(p), ev->arg[0] + 8 * (uint64_t)st->count);
		ward_read_str(st->names[st->count], 24, p);
	}
}
C
refused 1 'rejected: 2 violations' cc --guards never "$tmp/index.c" -o "$tmp/index.ward"
check "index: the buffer" grep -q '/index.c:10[0-9:]*: error: ward_read_str is called with state+\[-.* it writes 24 bytes there' "$tmp/err"
check "index: the way out" grep -q '^ *hint: bound the index right before the call, .* in a local variable' "$tmp/err"
sed -i 's/for (.*/for (int i = 0; i < 6; st->count = ++i) {/; s/names\[st->count\]/names[i]/; s/)st->count)/)i)/' \
	"$tmp/index.c"
run cc --guards never "$tmp/index.c" -o "$tmp/index.ward"
check "index: which is one" [ "$status" = 0 ]

# A stack that is too deep: of what is done with it nothing else is said, but what is wrong for itself.
deep() { # NAME, bytes, a further statement
	cat >"$tmp/$1.c" <<C
#include <ward/probe.h>
struct ward_state { ward_count n; unsigned char at[16]; };
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	char b[$2];
	for (int i = 0; i < 40; i++)
		b[i] = (char)ev->arg[i % 6];
	st->n += (unsigned char)b[ev->arg[0] % sizeof b];
	$3
}
C
}
deep deep 520 'st->at[ev->arg[1] & 31]++;'
for profile in 'user --max-stack 512' 'kernel --max-stack 512'; do
	run cc --report --profile $profile "$tmp/deep.c" -o "$tmp/deep.ward"
	check "$profile: an array beyond the stack: status" [ "$status" = 0 ]
	check "$profile: an array beyond the stack: the report" grep -q \
		'^[0-9]* proven, [0-9]* guarded; 528 bytes of local variables are behind the state, for which the stack has no room$' "$tmp/out"
done
deep deep 60 'st->at[ev->arg[1] & 31]++;'
for profile in user kernel; do
	refused 1 'rejected: 1 violation' cc --profile $profile --max-stack 48 "$tmp/deep.c" -o "$tmp/deep.ward"
	check "$profile: too deep" grep -q '/deep.c:[0-9:]* error: the stack is [0-9]* bytes deep; the limit is 48 .V-41 stack-too-deep.$' "$tmp/err"
	check "$profile: what to do" grep -q '^hint: use smaller local arrays, put what is large into the state, ' \
		"$tmp/err"
done
refused 1 'rejected: [23] violations' cc --guards never --max-stack 48 "$tmp/deep.c" -o "$tmp/deep.ward"
check "too deep, and more that is wrong" grep -q '/deep.c:10[0-9:]*: error: .* of 1 byte at state+\[8, 39\]; state has 24 bytes' "$tmp/err"
check "and nothing else" [ "$(grep -c ': error: ' "$tmp/err")" = "$(grep -c -e 'V-41' -e '/deep.c:10:' "$tmp/err")" ]
deep deeper 70000000 ''
run cc --profile kernel "$tmp/deeper.c" -o "$tmp/deeper.ward"
check "too deep for any limit: status" [ "$status" = 1 ]
check "too deep for any limit" grep -q "error: the local variables of 'on_work' take 7[0-9]* bytes of stack; at most 1024$" "$tmp/err"
check "where it goes" grep -q "^hint: put what is large into the state: it is each processor's own$" "$tmp/err"

# Code that a compiler made of no line in particular is told by the line before it.
cat >"$tmp/nowhere.c" <<'C'
#include <ward/probe.h>
struct ward_state { unsigned long n; unsigned char at[16]; };
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->n++;
	st->at[ev->arg[0]] = 1;
}
C
clang-19 -O2 -g -mgeneral-regs-only -fcf-protection=none -fno-asynchronous-unwind-tables \
	-I"$here/../../probes/include" -S "$tmp/nowhere.c" -o "$tmp/nowhere.s"
sed -i 's/\.loc\t\([0-9]*\) 7 .*/.loc\t\1 0 0/' "$tmp/nowhere.s"
check "no line: the assembler has it so" grep -qE '\.loc.[0-9]+ 0 0' "$tmp/nowhere.s"
clang-19 -c "$tmp/nowhere.s" -o "$tmp/nowhere.o"
refused 1 'rejected: 1 violation' link "$tmp/nowhere.o" -o "$tmp/nowhere.ward"
check "no line: the one before" grep -q 'nowhere.c:6[0-9:]*: error: store of 1 byte at state.* .V-31 ' "$tmp/err"
# The same of objects, which say of what they are made only by their symbols: the body of a function `at` in assembly,
# its arguments in rdi and rsi.
wrong_object() { # name, error, hint; the body on standard input
	{
		printf '%s\n' '.intel_syntax noprefix' '.text' '.globl at' 'at:'
		cat
	} >"$tmp/$1.s"
	clang-19 -c "$tmp/$1.s" -o "$tmp/$1.o" || exit 1
	refused 1 'rejected: 1 violation' link "$tmp/$1.o" -o "$tmp/$1.ward"
	check "$1: the error says so" grep -q "/$1\.o:$2" "$tmp/err"
	check "$1: the hint helps" grep -q "^hint: .*$3" "$tmp/err"
}
wrong_object read-twice 'at+0x8: error: store of 8 bytes at state+.* rcx was loaded at at+0x5 and never bounded: what was read there before may have been another number .V-31 ' 'read once' <<'S'
	cmp byte ptr [rsi], 64
	jae 1f
	mov rcx, [rsi]
	mov qword ptr [rsi+rcx*8+8], 1
1:	ret
S
wrong_object below-zero 'at+0x7: error: store of 1 byte at state+\[0, 4294967295\]; .* rcx was loaded at at+0x0 and may be negative .V-31 ' 'i >= 0' <<'S'
	mov ecx, [rdi]
	cmp ecx, 100
	jg 1f
	mov byte ptr [rsi+rcx], 1
1:	ret
S
wrong_object down-from-any 'at+0x6: error: nothing bounds the loop that begins at 0x1003: no register, .*; rcx was loaded at at+0x0 and never bounded .V-62 ' 'a counter with a constant limit' <<'S'
	mov rcx, [rdi]
1:	dec rcx
	jnz 1b
	ret
S
wrong_object fetched-early 'at+0x0: error: `prefetcht0` is not permitted: .*V-10 ' 'no __builtin_prefetch' <<'S'
	prefetcht0 byte ptr [rsi+64]
	ret
S

# Nor of one that passes an import a length that nothing bounds, and a number that is none of its. The length would
# get a guard.
cat >"$tmp/lengths.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state {
	char text[64];
};
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->text[0] = (char)ward_clock(ev->arg[1] & 15);
	ward_read(st->text, ev->arg[0], ev->arg[1]);
	st->text[1] = 0;
}
C
refused 1 'rejected: 1' cc "$tmp/lengths.c" -o "$tmp/lengths.ward"
check "with guards it is the number" grep -q 'lengths.c:9[0-9:]*: error: .* below 8; rdi was .* and not bounded enough .V-73 id-too-large' "$tmp/err"
refused 1 'rejected: 2' cc --guards never "$tmp/lengths.c" -o "$tmp/lengths.ward"
check "the verifier names the length and where it is from" grep -q \
	'lengths.c:10[0-9:]*: error: .*rsi was loaded at .*lengths.c:10 and never bounded .V-73 buffer-outside-region' "$tmp/err"
check "and the number" grep -q 'lengths.c:9[0-9:]*: error: .* below 8; rdi was .* and not bounded enough .V-73 id-too-large' "$tmp/err"

# Modules that somebody changed: one byte of code, of proof; cut short; something else altogether.
text=$(($(readelf -lW "$tmp/work.ward" | awk '$1 == "LOAD" && / R E / { print $2; exit }')))
cp "$tmp/work.ward" "$tmp/changed.ward"
printf '\017\005' | dd of="$tmp/changed.ward" bs=1 seek="$text" conv=notrunc 2>/dev/null # syscall
head -c 1000 "$tmp/work.ward" >"$tmp/short.ward"
: >"$tmp/empty.ward"
for module in changed short empty; do
	refused 1 'rejected' info "$tmp/$module.ward"
done
refused 1 'rejected' info "$ward"

# Targets that aren't there.
gone=$(sh -c 'echo $$')
refused 3 'no such process' trace -p "$gone" "$tmp/work.ward"
refused 3 'no such process' trace -p "$gone" "$here/work.c"
refused 3 'no such process' list -p "$gone"
refused 2 'not found' trace "$tmp/work.ward" -- "$tmp/none"
# A process that has ended and that its parent hasn't asked after.
mkfifo "$tmp/hold"
"$targets/target" zombie <"$tmp/hold" >"$tmp/zombie" &
holder=$!
started+=("$holder")
exec 8>"$tmp/hold"
until [ -s "$tmp/zombie" ]; do sleep 0.01; done
refused 3 '' trace -p "$(cat "$tmp/zombie")" "$tmp/work.ward"
refused 3 '' list -p "$(cat "$tmp/zombie")"
exec 8>&-
wait "$holder"

# A live target, and everything that may be wrong with what is asked of it.
start_loop "$targets/target"
for module in changed short empty; do
	refused 1 'rejected' trace -p "$pid" "$tmp/$module.ward"
done
refused 3 'nothing_of_that_name' trace -p "$pid" -f 'target!nothing_of_that_name' "$tmp/work.ward"
refused 3 'libnone.so' trace -p "$pid" -f 'libnone.so!work' "$tmp/work.ward"
refused 3 'tiny: .*shorter' trace -p "$pid" -f 'target!tiny' "$tmp/work.ward"
run list -p "$pid" 'target!tiny'
check "list says why tiny can't be probed" grep -qE '^target!tiny +0x[0-9a-f]+ +no: .' "$tmp/out"
refused 3 'nothing_of_that_name' list -p "$pid" 'target!nothing_of_that_name'
refused 1 'rejected' trace -p "$pid" --max-insns 1 "$tmp/work.ward"
end_loop "a target of refused traces"

# The same program, stripped: its own functions have no names any more.
start_loop "$targets/stripped/target"
refused 3 'work' trace -p "$pid" "$tmp/work.ward"
end_loop "a stripped target"

# Targets that end while they are being attached to, at any moment: a result or a refusal, never a crash.
for i in $(seq 40); do
	start_loop "$targets/target"
	(sleep "0.0$((i % 4))$((RANDOM % 10))"; kill -KILL "$pid") &
	killer=$!
	run trace -p "$pid" -d 1 "$tmp/work.ward"
	wait "$killer" "$pid" 2>/dev/null
	exec 9>&-
	case $status in
	0 | 137) check "killed halfway: results" grep -q '^calls' "$tmp/out" ;;
	3) sed -i '/^attached /d' "$tmp/err"; : >"$tmp/out"; check_refusal 3 '' "killed halfway" ;;
	*) fail "killed halfway: exit status $status" ;;
	esac
done 2>/dev/null # bash's notices of killed jobs
summary
