#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Samples of live processes: as many as the processor time that each thread has used, with its stacks.
. "$(dirname "$0")/lib.sh"

program=$targets/samples/program
work='^libc[.]so[.]6![^;]*;libc[.]so[.]6![^;]*;program!thread_main;program!work'
cat >"$tmp/clock.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state {
	ward_count samples, none, backwards;
	WARD_MAP(unsigned long, ward_count, 1024) by_thread;
	WARD_MAP(ward_site, ward_count, 16) by_site;
	WARD_MAP(ward_stack, ward_count, 4096) by_stack;
	WARD_PRIVATE(unsigned long last;);
};
WARD_ENTRY("cpu-clock:1000000")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	ward_stack stack = ward_stack_take(WARD_FRAMES);

	st->samples++;
	st->none += !stack;
	st->backwards += ev->time < st->last;
	st->last = ev->time;
	ward_map_add(&st->by_thread, ev->tid, 1);
	ward_map_add(&st->by_site, (ward_site)ev->site, 1);
	ward_map_add(&st->by_stack, stack, 1);
}
C
"$ward" cc "$tmp/clock.c" -o "$tmp/clock.ward" || exit 1

field() { jq -s "[.[] | select(.type == \"field\" and .field == \"$1\")][0] | $2" "$tmp/results"; }
end() { jq -s "[.[] | select(.type == \"end\")][0] | .$1" "$tmp/results"; }
# Is a number of samples that of so many nanoseconds, at one in a millisecond? The clock goes on a little at each end;
# and where others want the processors, too, the fewer samples there are, the more is chance: five standard deviations.
near() { # samples, nanoseconds, percent
	local ms=$(($2 / 1000000))
	[ $((($1 - ms) * 100)) -le $((ms * $3 + 500)) ] && [ $(((ms - $1) * 100)) -le $((ms * $3 + 500)) ]
}
# Each thread that the program has named has as many samples as its time says.
each_thread() { # percent
	local tid ns
	while read -r _ tid ns; do
		near "$(field by_thread "[.entries[] | select(.key == $tid) | .value] | add // 0")" "$ns" "$1" || return 1
	done < <(grep '^thread' "$tmp/out")
}
stack_share() { # the share of all samples, in percent, that a stack like this has
	jq -s --arg like "$1" '
		(map(select(.type == "address") | {key: (.value | tostring), value: .name}) | from_entries) as $names |
		[.[] | select(.type == "field" and .field == "by_stack") | .entries[] |
			{n: .value, is: ($names[.key | tostring] // "" | gsub("\\+0x[0-9a-f]*"; "") | test($like))}] |
		100 * ([.[] | select(.is) | .n] | add // 0) / ([.[].n] | add) | floor' "$tmp/results"
}

run trace --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" threads 3 300
check 'three threads: status' [ "$status" = 0 ]
check 'three threads: nothing is dropped' [ "$(end dropped)" = 0 ]
check 'three threads: as many events as samples' [ "$(end events)" = "$(field samples .value)" ]
check 'three threads: as many samples as time' near "$(field samples .value)" "$(sed -n 's/^all //p' "$tmp/out")" 10
check 'three threads: of each thread' each_thread 25
check 'three threads: in order of time' [ "$(field backwards .value)" = 0 ]
check 'three threads: the site has its name' \
	[ "$(jq -s '[.[] | select(.type == "attach" and .number == 0) | .site] | unique[0]' "$tmp/results")" = \
	'"cpu-clock:1000000"' ]
# But of a thread that is ending the kernel says nothing more.
check 'three threads: each sample has a stack' [ $(($(field none .value) * 100)) -le "$(field samples .value)" ]
# The rest are in clock_gettime, which takes more of the time on a busier machine.
check 'three threads: which is right' [ "$(stack_share "$work")" -ge 95 ]
check 'three threads: to the innermost function' [ "$(stack_share "$work;program!spin\$")" -ge 50 ]

run trace --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" turns 40 20
check 'threads that come and go: status' [ "$status" = 0 ]
check 'threads that come and go: as many samples as time' near "$(field samples .value)" \
	"$(sed -n 's/^all //p' "$tmp/out")" 15
check 'threads that come and go: all of them' [ "$(field by_thread '.entries | length')" -ge 40 ]

# Threads of 2 ms, where a sample is due each 4 ms: all together they have as many as their time says. Where that can't
# be, as without rights or of other events, it is said.
short_lacks='samples; not of threads that end before their first is due'
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
may_all() { # CAP_PERFMON or CAP_SYS_ADMIN of the machine
	local caps=$((16#$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)))
	[ "$paranoid" -le 0 ] && return
	[ $(((caps >> 38 | caps >> 21) & 1)) = 1 ] && grep -q ' 0 *0 *4294967295' /proc/self/uid_map
}
method() { jq -rs '[.[] | select(.type == "attach") | .method][0]' "$tmp/results"; }
sed 's/cpu-clock:1000000/profile:250/' "$tmp/clock.c" >"$tmp/profile.c"
run trace --json -o "$tmp/results" "$tmp/profile.c" -- "$program" short 1500 2
check 'short threads: status' [ "$status" = 0 ]
if may_all; then
	check 'short threads: nothing lacks' [ "$(method)" = samples ]
	check 'short threads: as many samples as time' \
		near $(($(field samples .value) * 4)) "$(sed -n 's/^all //p' "$tmp/out")" 15
	check 'short threads: of all of them' [ "$(field by_thread '.entries | length')" -ge 300 ]
else
	check 'short threads: that they have none is said' grep -q "^$short_lacks" <<<"$(method)"
fi
run trace -f page-faults:100 "$tmp/clock.c" -- "$program" threads 1 20
check 'short threads: of other events' grep -q "^attached page-faults:100 ($short_lacks" "$tmp/err"
run trace -f page-faults:1 "$tmp/clock.c" -- "$program" threads 1 20
check 'short threads: but each event of all threads' \
	grep -Eq '^attached page-faults:1 \(samples(\)|; not of time in the kernel)' "$tmp/err"
if [ "$(id -u)" = 0 ] && [ "$paranoid" = 1 -o "$paranoid" = 2 ]; then
	status=0
	setpriv --bounding-set=-all --inh-caps=-all "$ward" trace --json -o "$tmp/results" "$tmp/profile.c" -- \
		"$program" threads 1 100 >"$tmp/out" 2>"$tmp/err" || status=$?
	check 'without rights: status' [ "$status" = 0 ]
	check 'without rights: what lacks is said' grep -q "^$short_lacks" <<<"$(method)"
	check 'without rights: there are samples' [ "$(field samples .value)" -ge 5 ]
fi

run trace --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" exec 2 300
check 'after an exec: status' [ "$status" = 0 ]
check 'after an exec: as many samples as time' near "$(field samples .value)" \
	"$(sed -n 's/^all //p' "$tmp/out" | tail -1)" 30
check 'after an exec: the stacks are still right' [ "$(stack_share "$work")" -ge 90 ]

# Children, one after the other: each has its samples, and a state.
run trace --follow --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" forks 4 100
check 'children: status' [ "$status" = 0 ]
check 'children: nothing is dropped' [ "$(end dropped)" = 0 ]
check 'children: of each' each_thread 40
check 'children: so many programs' [ "$(end threads)" = 5 ]
# A child has its parent's code, also if it is gone, or has become another program, when its samples are read.
child='^program!_start;[^;]*;[^;]*;program!main;program!forks;program!thread_main;program!work'
check 'children: the stacks are right' [ "$(stack_share "$child")" -ge 95 ]
run trace --follow --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" replaced 10 30
check 'children that are replaced: status' [ "$status" = 0 ]
check 'children that are replaced: of each' each_thread 70
# The rest are the other program's.
check 'children that are replaced: the stacks are right' [ "$(stack_share "$child")" -ge 85 ]
# A program is known while it lives, though its samples are read five times a second.
run trace --follow --json -o "$tmp/results" "$tmp/clock.ward" -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$1" threads 1 60; done' sh "$program"
check 'short programs: status' [ "$status" = 0 ]
check 'short programs: the stacks are right' [ "$(stack_share "$work")" -ge 70 ]
# Each program that is over is reported, with its share of the samples; also those that still run at the end.
programs() { jq -s "[.[] | select(.type == \"process\")] | $1" "$tmp/results"; }
run trace --follow --json -o "$tmp/results" "$tmp/clock.ward" -- \
	sh -c '"$1" forks 2 100; "$1" threads 1 100; true' sh "$program"
check 'programs: status' [ "$status" = 0 ]
check 'programs: each that has worked' [ "$(programs 'map(select(.events > 50 and .sites == 1)) | length')" = 3 ]
check 'programs: their files' \
	[ "$(programs 'map(select(.events > 50 and (.program | test("/program$")))) | length')" = 3 ]
check 'programs: their samples are all' [ "$(programs 'map(.events) | add')" = "$(end events)" ]
check 'programs: parents' \
	[ "$(programs 'map(.pid) as $all | map(select(.parent as $p | $all | index($p))) | length > 3')" = true ]
run trace --follow -d 0.3 "$tmp/clock.ward" -- "$program" forks 1 800
check 'programs: the command goes on without samples' [ "$status" = 0 ]
check 'programs: as text' grep -Eq '^ +[0-9]+ +[1-9][0-9]+  program$' "$tmp/out"
run trace --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" threads 1 30
check 'programs: none without --follow' [ "$(programs length)" = 0 ]

# The first child finds no state, and its samples are counted.
run trace --follow --threads 1 --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" forks 1 100
check 'children without a state: status' [ "$status" = 0 ]
check 'children without a state: their samples are counted' near "$(end dropped)" 100000000 40
run trace --json -o "$tmp/results" "$tmp/clock.ward" -- "$program" forks 4 100
check 'children that are not followed' [ "$(field samples .value)" -lt 100 ]

# Events: page faults are counted one by one; what the machine doesn't count comes by the clock, and the line says so.
sed 's/cpu-clock:1000000/page-faults:1/' "$tmp/clock.c" >"$tmp/faults.c"
run trace --json -o "$tmp/results" "$tmp/faults.c" -- "$program" faults 500
check 'faults: status' [ "$status" = 0 ]
check 'faults: each one' [ "$(stack_share 'program!main$')" -ge 80 ]
all=$(($(field samples .value) + $(end dropped))) # they come faster than they are read
check 'faults: and few others' [ "$all" -ge 500 -a "$all" -lt 650 ]
sed 's/cpu-clock:1000000/cpu-cycles:1000000/' "$tmp/clock.c" >"$tmp/cycles.c"
run trace "$tmp/cycles.c" -- "$program" threads 1 300
check 'cycles: status' [ "$status" = 0 ]
check 'cycles: how is said' grep -Eq '^attached cpu-cycles:1000000 \((samples|clock, 99 a second)' "$tmp/err"
check 'cycles: there are some' grep -Eq '^samples +[0-9][0-9]' "$tmp/out"

# How long, and where, threads are off the processors.
cat >"$tmp/waits.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state {
	WARD_MAP(ward_stack, ward_count, 1024) by_stack;
	WARD_MAP(ward_stack, ward_elapsed, 1024) time;
};
WARD_ENTRY("off-cpu:20ms")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	ward_map_add(&st->by_stack, ward_stack_take(WARD_FRAMES), 1);
	ward_map_add(&st->time, ward_stack_take(WARD_FRAMES), ev->elapsed);
}
C
run trace --json -o "$tmp/results" "$tmp/waits.c" -- "$program" waits 10 30
check 'waits: status' [ "$status" = 0 ]
check 'waits: each one' [ "$(field by_stack '[.entries[].value] | max')" = 10 ]
check 'waits: where' [ "$(stack_share ';program!main;program!rest;libc[.]so[.]6!')" -ge 60 ]
check 'waits: as long as they are' [ "$(field time "[.entries[].value] | max >= 300000000")" = true ]
check 'waits: and not longer' [ "$(field time "[.entries[].value] | max < 3000000000")" = true ]

# Once in a while, whatever the program does.
cat >"$tmp/interval.c" <<'C'
#include <ward/imports.h>
#include <ward/probe.h>
struct ward_state {
	ward_count times, stacks, others;
	WARD_MAP(unsigned long, ward_count, 16) by_process;
};
WARD_ENTRY("interval:20ms")
void on_interval(const struct ward_event *ev, struct ward_state *st)
{
	st->times++;
	st->stacks += ward_stack_take(WARD_FRAMES) != 0;
	st->others += ev->caller || ev->sp;
	ward_map_add(&st->by_process, ev->tid, 1);
}
C
run trace --json -o "$tmp/results" "$tmp/interval.c" -- "$program" waits 1 500
check 'interval: status' [ "$status" = 0 ]
check 'interval: each is run, or dropped' [ $(($(field times .value) + $(end dropped))) -ge 24 ]
check 'interval: no stack' [ "$(field stacks .value)" = 0 -a "$(field others .value)" = 0 ]
check 'interval: of one process' [ "$(field by_process '.entries | length')" = 1 ]

# A process that runs already; it isn't stopped, and nothing of it is changed.
"$program" threads 4 2000 >"$tmp/out.program" &
pid=$!
started+=("$pid")
wait_until_runs "$pid" "$program"
run trace --json -o "$tmp/results" -d 1 -p "$pid" "$tmp/clock.ward"
check 'attached: status' [ "$status" = 0 ]
check 'attached: there are samples' [ "$(field samples .value)" -gt 20 ]
check 'attached: of each thread' [ "$(field by_thread '.entries | length')" -ge 4 ]
check 'attached: no thread was stopped' [ "$(end pauses.count)" = 0 ]
check 'attached: nothing is mapped there' [ "$(grep -c ward "/proc/$pid/maps")" = 0 ]
wait "$pid"
check 'attached: the program ends well' [ "$?" = 0 ]

run trace "$tmp/clock.ward" -- "$program" threads 2 50
check 'as text: the site' grep -q '^attached cpu-clock:1000000 (samples' "$tmp/err"
check 'as text: programs, not threads' grep -Eq '^[0-9]+ events in 1 program, 0 dropped$' "$tmp/out"

# What isn't possible.
sed 's/cpu-clock:1000000/profile:0/' "$tmp/clock.c" >"$tmp/zero.c"
refused 2 'from 1 to 100000 samples a second' trace "$tmp/zero.c" -- "$program" threads 1 1
cat >"$tmp/both.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count n;
};
WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->n++;
}
WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->n++;
}
C
refused 2 "probes for samples and for code" trace "$tmp/both.c" -- "$program" threads 1 1
cat >"$tmp/argument.c" <<'C'
#include <ward/probe.h>
struct ward_state {
	ward_count n;
};
WARD_ENTRY("profile:99")
void on_sample(const struct ward_event *ev, struct ward_state *st)
{
	st->n += ev->arg[0];
}
C
refused 2 'reads ev->arg' trace "$tmp/argument.c" -- "$program" threads 1 1
summary
