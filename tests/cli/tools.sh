#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The example tools that look at both ends of calls, on a program of which it is known what they must say.
. "$(dirname "$0")/lib.sh"

probes=$here/../../probes
json() { jq -e -s "$1" "$tmp/out" >/dev/null; }
field() { # name, then a condition on its line
	check "$tool: $1" json ".[] | select(.type == \"field\" and .field == \"$1\") | $2"
}
end() { check "$tool: nothing dropped" json '.[] | select(.type == "end") | .dropped == 0'; }

# tool, options.. : run the target under it, results in $tmp/out.
under() {
	tool=$1
	shift
	run cc --guards never "$probes/$tool.c" -o "$tmp/$tool.ward"
	check "$tool: no guard is needed" [ "$status" = 0 ]
	run trace --json -o "$tmp/results" "$@" "$probes/$tool.c" -- "$targets/ends"
	check "$tool: status" [ "$status" = 0 ]
	check "$tool: the program's own result" [ "$(cat "$tmp/out")" = "$plain" ]
	mv "$tmp/results" "$tmp/out"
	end
}

plain=$("$targets/ends")

# wait_for is called 107 times with a depth of 0, 1 and 2: 36, 36 and 35 times. Numbers 5, 21, 37 … 101 wait.
under latency -f 'ends!wait_for'
field took '.count == 213'
field by_site '(.entries | length) == 1 and ([.entries[0].value.buckets[].count] | add) == 213'
check "latency: those that waited" json '[.[] | select(.type == "field" and .field == "by_site") | .entries[0].value.buckets[] | select(.hi >= 10000000) | .count] | add >= 14'

under slow -D THRESHOLD=15000000 -f 'ends!wait_for'
field all '.value == 213'
check "slow: each that waited, at each depth, once" json '[.[] | select(.type == "record") | .record | select(.arg1 == 20) | [.arg0, .arg2, .returned]] | sort == [5, 21, 37, 53, 69, 85, 101 | . as $n | range($n % 3 + 1) | [$n, ., 2 * $n + .]]'
check "slow: the time is longer than the wait" json '[.[] | select(.type == "record") | .record | .took >= .arg1 * 1000000 * 0.99] | all'

under errors -f 'ends!fail_some'
field by_site '.entries == [{"key":0,"value":{"returns":400,"minus_one":100,"negative":100,"zero":100,"others":0}}]'
check "errors: where, and at how many exits" json '.[] | select(.type == "attach") | .site == "ends!fail_some:return" and .number == 0 and .exits >= 1'

# For people, sites have the names of their functions.
run trace -o "$tmp/results" -f 'ends!fail_some' "$probes/errors.c" -- "$targets/ends"
check "errors: the function's name" grep -qE '^  ends!fail_some +400 +100 +100 +100 +0$' "$tmp/results"
run trace -o "$tmp/results" -f 'ends!wait_for' "$probes/latency.c" -- "$targets/ends"
check "latency: the function's name" grep -qE '^  ends!wait_for$' "$tmp/results"

cat >"$tmp/several.c" <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begun;
__attribute__((noipa)) long step_on(long key) { return key * 3 + key / 3; }
static void *steps(void *first)
{
	long sum = 0;
	pthread_barrier_wait(&begun);
	for (long i = 0; i < 30; i++)
		sum += step_on((long)first + i);
	pthread_barrier_wait(&begun);
	return (void *)sum;
}
int main(void)
{
	struct timespec t = {.tv_nsec = 20000000};
	pthread_t thread[3];
	pthread_barrier_init(&begun, 0, 3);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread[i], 0, steps, (void *)(i * 1000));
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], 0);
	for (int i = 0; i < 40; i++) {
		pthread_mutex_lock(&one);
		for (int k = 0; k < 3; k++) {
			pthread_mutex_lock(&two);
			pthread_mutex_unlock(&two);
		}
		if (i == 7)
			nanosleep(&t, 0);
		pthread_mutex_unlock(&one);
	}
	return 0;
}
C
gcc -O2 "$tmp/several.c" -o "$tmp/several"

# Calls by library, of functions of several.
for library in left right; do
	echo "__attribute__((noipa)) int ${library}_one(int n) { return n * 3; } __attribute__((noipa)) int ${library}_two(int n) { return n / 3; }" >"$tmp/$library.c"
	gcc -O2 -shared -fPIC "$tmp/$library.c" -o "$tmp/lib$library.so"
done
cat >"$tmp/sides.c" <<'C'
int left_one(int), left_two(int), right_one(int);
int main(void)
{
	int n = 0;
	for (int i = 0; i < 30; i++)
		n += left_one(i) + (i < 20 ? left_two(i) : 0) + (i % 4 ? 0 : right_one(i));
	return n == 0;
}
C
gcc -O2 "$tmp/sides.c" -L"$tmp" -lleft -lright -Wl,-rpath,"$tmp" -o "$tmp/sides"
tool=modules
run trace --json -o "$tmp/results" -f 'lib*t.so!*t_*' "$probes/modules.c" -- "$tmp/sides"
check "modules: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
field calls '.value == 58'
check "modules: each once, all of its sites together" json '(.[] | select(.type == "enumeration" and .field == "by_module") | .names) as $names | [.[] | select(.field == "by_module" and .type == "field") | .entries[] | [$names[.key | tostring], .value]] == [["libleft.so", 50], ["libright.so", 8]]'
check "modules: of each site" json '[.[] | select(.type == "attach") | [.site, .module]] | sort == [["libleft.so!left_one", "libleft.so"], ["libleft.so!left_two", "libleft.so"], ["libright.so!right_one", "libright.so"], ["libright.so!right_two", "libright.so"]]'
run trace -o "$tmp/results" -f 'lib*t.so!*t_*' "$probes/modules.c" -- "$tmp/sides"
check "modules: names for people" [ "$(grep -cE '^  lib(left.so +50|right.so +8)$' "$tmp/results")" = 2 ]
cat >"$tmp/sorts.c" <<'C'
#include <ward/probe.h>
struct sort {
	ward_module module;
	int odd;
};
struct ward_state {
	WARD_MAP(struct sort, ward_max, 64) greatest;
	WARD_TOP(struct sort, 8) top;
	WARD_RING(struct sort, 64) all;
};
WARD_ENTRY("")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct sort sort = {(ward_module)ev->site, (int)ev->arg[0] & 1};
	ward_max_add(ward_map_at(&st->greatest, sort), ev->arg[0]);
	ward_top_add(&st->top, sort, 1);
	ward_ring_push(&st->all, sort);
}
C
run trace --follow -o "$tmp/results" -f 'lib*t.so!*t_*' "$tmp/sorts.c" -- "$tmp/sides"
check "modules: in keys of several parts" [ "$(sed -n '/^greatest/,/^top/p' "$tmp/results" | grep -cE '^  libleft.so +(0 +28|1 +29)$|^  libright.so +0 +28$')" = 3 ]
check "modules: a counter of a top is one site's" [ "$(sed -n '/^top/,/^all/p' "$tmp/results" | grep -cE '^  lib(left|right).so +[01] ')" = 5 ]
check "modules: in records" [ "$(sed -n '/^all/,$p' "$tmp/results" | grep -cE '(^| )lib(left|right).so +[01]$')" = 58 ]

# A recorder's dumps: what one thread put aside at one trigger stays together. What is the probe's own isn't shown.
cat >"$tmp/steps.c" <<'C'
#include <ward/probe.h>
struct step {
	unsigned long time, key;
	ward_site site;
};
struct ward_state {
	ward_count all;
	WARD_FLIGHT(struct step, 4, 2) steps;
	WARD_PRIVATE(
		unsigned since;
		unsigned long of[16];
	);
};
WARD_ENTRY("")
void on_step(const struct ward_event *ev, struct ward_state *st)
{
	st->all++;
	st->of[st->since & 15] = ev->arg[0];
	ward_flight_push(&st->steps, ((struct step){ev->time, st->of[st->since & 15], (ward_site)ev->site}));
	if (++st->since % 5 == 0)
		ward_flight_trigger(&st->steps);
}
C
tool=steps
run trace --json -o "$tmp/results" -f 'several!step_*' "$tmp/steps.c" -- "$tmp/several"
check "steps: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
check "steps: nothing of its own" json '[.[] | select(.type == "field") | .field] == ["all", "steps"]'
check "steps: of several threads" json '[.[] | select(.type == "record") | .thread] | unique | length > 1'
check "steps: each dump in one piece" json '[.[] | select(.type == "record") | [.dump, .thread]] as $r | ([range(1; $r | length) | select($r[.] != $r[. - 1])] | length) + 1 == ($r | unique | length)'
check "steps: in order of time" json '[.[] | select(.type == "record")] | group_by([.dump, .thread]) | [.[] | [.[].record.time] | . == sort] | all'
check "steps: what was recorded last is last" json '[.[] | select(.type == "record") | .dump == null] | . == sort'
run trace -o "$tmp/results" -f 'several!step_*' "$tmp/steps.c" -- "$tmp/several"
check "steps: names of sites in records" grep -qE '^ +[12-] .* [0-9]+  several!step_on$' "$tmp/results"

# Two mutexes, one of which is kept for a while; the library may have more of its own.
tool=locks
run trace --json -o "$tmp/results" "$probes/locks.c" -- "$tmp/several"
check "locks: status" [ "$status" = 0 ]
mv "$tmp/results" "$tmp/out"
field more '.value == 0'
field by_mutex '[.entries[] | .value | [.waited.count, .held.count] | select(.[0] >= 40)] | sort == [[40, 40], [120, 120]]'
check "locks: how long" json '[.[] | select(.type == "field" and .field == "by_mutex") | .entries[] | select(.value.held.count == 40) | .value.held.max > 19000000] == [true]'
end

under leaks
field held_by '[.entries[] | .value | select(.asked == 50)] | sort_by(.blocks) == [{"blocks":0,"bytes":0,"asked":50}, {"blocks":30,"bytes":1920,"asked":50}]'
field held_by '[.entries[] | .value | select(.asked == 100)] == [{"blocks":0,"bytes":0,"asked":100}]'

under callers
field by_caller '[.entries[] | .value | select(.bytes.count == 50) | [.bytes.sum, .bytes.max]] == [[3200, 64]]'

under requests -f 'ends!step_*'
field by_key '[.entries[] | select(.key >= 1001 and .key <= 1020) | [.key, .value.steps]] | sort == [range(1001; 1021) | [., . % 4 + 3]]'
field by_key '[.entries[] | .value.last > .value.first] | all'

under costs -f 'ends!wait_for'
field cycles '.count == 213'
field took '([.buckets[].count] | add) == 213'
check "costs: each cycle is some caller's" json '([.[] | select(.field == "by_caller") | .entries[]]) as $callers | ($callers | length) >= 1 and ([$callers[].error] | add) == 0 and ([$callers[].value] | add) == (.[] | select(.field == "cycles") | .sum)'

# Addresses have names: where the name says, behind a call of the function, is where the call returns to.
named=$(jq -r 'select(.type == "address") | .name' "$tmp/out")
check "costs: callers have names" [ -n "$named" ]
check "costs: each of them" json '([.[] | select(.field == "by_caller") | .entries[].key] | sort) as $keys | [.[] | select(.type == "address") | .value] == $keys'
objdump -d --no-show-raw-insn "$targets/ends" >"$tmp/code"
while IFS='!+' read -r module function offset; do
	at=$(nm "$targets/ends" | awk -v f="$function" '$3 == f { print $1 }')
	check "costs: $module!$function+$offset is behind a call" grep -qE 'call .*<wait_for' <(grep -B 1 -E \
		"^ +$(printf %x $((16#$at + offset))):" "$tmp/code" | head -1)
done <<<"$named"
run trace -o "$tmp/results" -f 'ends!wait_for' "$probes/costs.c" -- "$targets/ends"
check "costs: names for people" [ "$(grep -cE '^  ends![a-z_]+\+0x[0-9a-f]+ +[0-9]+ +0$' "$tmp/results")" = \
	"$(wc -l <<<"$named")" ]
check "costs: what a microsecond is" grep -qE '^[0-9.]+ counts of the time stamp counter are 1 (µs|us)$' "$tmp/results"

# Names are the target's: a terminal gets nothing to act on, and programs get what they can parse. Without symbols
# there is the address that the file itself has.
cat >"$tmp/odd.c" <<'END'
__attribute__((noipa)) int called(int n) { return n + 1; }
__attribute__((noipa)) VISIBLE int calling(int n) { return called(n) * 2; }
int main(void)
{
	int n = 0;
	for (int i = 0; i < 10; i++)
		n += calling(i);
	return n != 110;
}
END
gcc -O2 -DVISIBLE= -c "$tmp/odd.c" -o "$tmp/odd.o"
objcopy --redefine-sym calling=$'odd\033[31m\tname' "$tmp/odd.o"
gcc -rdynamic "$tmp/odd.o" -o "$tmp/odd"
run trace -o "$tmp/results" -f 'odd!called' "$probes/costs.c" -- "$tmp/odd"
check "odd names: status" [ "$status" = 0 ]
check "odd names: shown" grep -qE '^  odd!odd.*name\+0x[0-9a-f]+ +[0-9]+ +0$' "$tmp/results"
check "odd names: nothing that a terminal would act on" [ "$(tr -d '\n\t -~\200-\377' <"$tmp/results" | wc -c)" = 0 ]
run trace --json -o "$tmp/results" -f 'odd!called' "$probes/costs.c" -- "$tmp/odd"
mv "$tmp/results" "$tmp/out"
check "odd names: for programs" json '[.[] | select(.type == "address") | .name | test("^odd!odd\u001b\\[31m\tname.0x[0-9a-f]+$")] == [true]'
check "odd names: escaped" [ "$(LC_ALL=C tr -d '\n -~\200-\377' <"$tmp/out" | wc -c)" = 0 ]
gcc -O2 -DVISIBLE='__attribute__((visibility("hidden")))' -rdynamic -s "$tmp/odd.c" -o "$tmp/even"
at=$(objdump -d --no-show-raw-insn "$tmp/even" | grep -A 1 -E 'call .*<called(@@Base)?>' |
	sed -nE '2s/^ *([0-9a-f]+):.*/\1/p')
run trace -o "$tmp/results" -f 'even!called' "$probes/costs.c" -- "$tmp/even"
check "without a symbol: the file's address" grep -qE "^  even\\+0x$at [(]build-id [0-9a-f]+[)] +[0-9]+ +0$" \
	"$tmp/results"

# Those that wait are slow, on whatever machine; others may be on a busy one.
under before -D SLOW=15000000 -f 'ends!wait_for'
field calls '.value == 213'
field slow '.value >= 15'
check "before: eight are put aside" json '[.[] | select(.type == "record" and .dump) | .dump] | unique == [1, 2, 3, 4, 5, 6, 7, 8]'
check "before: each ends in its slow one" json '(.[] | select(.type == "end") | .counts_per_us) as $us | [.[] | select(.type == "record" and .dump)] | group_by(.dump) | [.[] | max_by(.record.time) | .record.took * $us >= 14900000000] | all'
check "before: and has no more than 32" json '[.[] | select(.type == "record" and .dump)] | group_by(.dump) | [.[] | length <= 32] | all'
check "before: others are missed" json '(.[] | select(.field == "slow") | .value) as $slow | .[] | select(.type == "field" and .field == "before") | .missed == $slow - 8'

# Those of files, on programs that open and read some.
files() { # tool, options.., --, command..
	tool=$1
	shift
	run trace --json -o "$tmp/results" "$@"
	check "$tool: status" [ "$status" = 0 ]
	mv "$tmp/results" "$tmp/out"
	end
}
files prefixes "$probes/prefixes.c" -- bash --norc -c 'read x </etc/passwd; read x </usr/lib/os-release; read x </etc/passwd; exit 0'
field by_prefix '[.entries[] | select(.key.path == "/etc/passwd") | .value] == [2]'
field by_prefix '[.entries[] | .key.path] | index("/usr/lib") != null and index("/usr/lib/os-release") == null'
files prefixes -D DEPTH=1 "$probes/prefixes.c" -- bash --norc -c 'read x </etc/passwd; exit 0'
field by_prefix '[.entries[] | .key.path] | index("/etc") != null and index("/etc/passwd") == null'
seq 1000 >"$tmp/numbers"
files threads "$probes/threads.c" -- wc -w "$tmp/numbers"
field bytes '[.entries[] | select(.key.fd > 2) | .value.buckets[] | select(.lo <= 3893 and .hi >= 3893) | .count] | add >= 1'
field bytes '[.entries[] | .key.thread] | unique | length == 1'
field errors '.value == 0'

# A real program: a row is returned as 100, the end as 101, an error as 1.
sql='with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select i from n; select count(*) from sqlite_master;'
cat >"$tmp/steps.c" <<'END'
#include <ward/probe.h>
struct ward_state { ward_count calls, tails; WARD_MAP(int, ward_count, 16) results; };
WARD_ENTRY("libsqlite3.so.0!sqlite3_step:return")
void on_step(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->tails += !ev->caller;
	ward_map_add(&st->results, (int)ev->ret, 1);
}
END
tool=sqlite3
run trace --json -o "$tmp/results" "$tmp/steps.c" -- sqlite3 :memory: "$sql"
check "sqlite3: status" [ "$status" = 0 ]
check "sqlite3: its result" [ "$(sqlite3 :memory: "$sql" | md5sum)" = "$(md5sum <"$tmp/out")" ]
mv "$tmp/results" "$tmp/out"
field results '[.entries[] | select(.key == 100) | .value] == [1001]'
end
run trace --json -f '*!*:return' -o "$tmp/results" "$tmp/steps.c" -- sqlite3 :memory: "$sql"
check "sqlite3, all functions: its result" [ "$(sqlite3 :memory: "$sql" | md5sum)" = "$(md5sum <"$tmp/out")" ]
mv "$tmp/results" "$tmp/out"
check "sqlite3, all functions: attached" json '[.[] | select(.type == "attach")] | length > 3000'
check "sqlite3, all functions: each of the others has a reason" json \
	'[.[] | select(.type == "skip") | .reason | length > 10] | all'
end
summary
