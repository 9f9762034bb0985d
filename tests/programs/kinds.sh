#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of every kind: linked in each way, of other C libraries and languages, with handlers of their own for
# faults and traps, in namespaces of their own.
. "$(dirname "$0")/lib.sh"

built() { # description, command
	local what=$1
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || { fail "$what: it can't be built"; summary; }
}

# A program that reads from $tmp/in, which descriptor 9 is the other end of, and writes to $tmp/answers.
asked=0
begin() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$tmp/answers"
	asked=0
}
ask() { # process
	asking=$1
	asked=$((asked + 1))
	echo go >&9
	while [ "$(wc -l <"$tmp/answers")" -lt $asked ] && kill -0 "$1" 2>/dev/null; do sleep 0.01; done
}
stir() { ask "$asking"; }
traced() { # description, process, site, how many faults each round has, calls of each round, returns if not as many
	local i
	ask "$2"
	attach "$2" "$3"
	for i in 1 2 3; do ask "$2"; done
	detach "$1"
	check "$1: every call" [ "$calls" = $(($5 * 3)) ]
	check "$1: every return" [ "$returns" = "${6:-$calls}" ]
	ask "$2"
	for i in 1 2 3 4 5; do
		echo "1499500 1499500 faults $(($4 * i)) traps $(($4 * i))"
	done >"$tmp/expected"
	check "$1: the answers" cmp -s "$tmp/expected" "$tmp/answers"
	unharmed "$2" ${6:+kept}
}
whole() { # description, program, as for traced
	local pid
	begin
	"$2" <"$tmp/in" >"$tmp/answers" &
	pid=$!
	started+=("$pid")
	exec 9>"$tmp/in"
	traced "$1" "$pid" "$(basename "$2")!${5:-work}" "$3" "$4" ${6:+"$6"}
	exec 9>&-
	status=0
	wait "$pid" || status=$?
	check "$1: its end" [ "$status" = 0 ]
}

# Which bytes of a program's code aren't as in its file: address, and what stands there now, in octal.
changes() { # process, program
	local range perms offset rest start
	read -r range perms offset rest < <(grep " r-xp .*/$(basename "$2")\$" "/proc/$1/maps")
	start=$((16#${range%-*}))
	dd if="/proc/$1/mem" bs=4096 skip=$((start / 4096)) count=$(((16#${range#*-} - start) / 4096)) 2>/dev/null |
		cmp -l -i "0:$((16#$offset))" - "$2" 2>/dev/null |
		awk -v start="$start" '{ printf "%x %s\n", start + $1 - 1, $2 }'
}

c=$here/kinds.c
command -v musl-gcc >/dev/null || missing musl-tools
built 'position-independent' gcc -O2 -pthread "$c" -o "$tmp/pie"
built 'at a fixed address' gcc -O2 -pthread -no-pie -fno-pie "$c" -o "$tmp/fixed"
built 'static' gcc -O2 -pthread -static "$c" -o "$tmp/static"
built 'static, position-independent' gcc -O2 -pthread -static-pie "$c" -o "$tmp/static-pie"
built 'musl' musl-gcc -O2 -pthread "$c" -o "$tmp/musl"
built 'musl, static' musl-gcc -O2 -pthread -static "$c" -o "$tmp/musl-static"
built 'Rust' rustc -O "$here/kinds.rs" -o "$tmp/rust"
# The fault's handler calls work() as well.
for kind in pie fixed static static-pie musl musl-static; do whole $kind "$tmp/$kind" 1 2001; done
whole Rust "$tmp/rust" 0 2000

# Go. Then every function of the program, while it works and its runtime stops and profiles goroutines by signals; and
# from the program's beginning, with arguments and results.
command -v go >/dev/null || missing golang-go
built 'Go' env HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -o "$tmp/go" "$here/kinds.go"
whole Go "$tmp/go" 0 20000 main.work 60000
built 'Go, without symbols' env HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -ldflags '-s -w' -o \
	"$tmp/gobare" "$here/kinds.go"
check "Go, without symbols: it has none" [ -z "$(nm "$tmp/gobare" 2>/dev/null)" ]
whole 'Go, without symbols' "$tmp/gobare" 0 20000 main.work 60000
begin
"$tmp/go" <"$tmp/in" >"$tmp/answers" &
pid=$!
started+=("$pid")
exec 9>"$tmp/in"
start_rounds ask "$pid"
come_and_go 2 "$pid" 'go!main.work' 'go!*'
end_rounds
yes '1499500 1499500 faults 0 traps 0' | head -n "$rounds" >"$tmp/expected"
check "Go under load: the answers" cmp -s "$tmp/expected" "$tmp/answers"
unharmed "$pid" kept
run list -p "$pid" 'go!*:return'
check "Go: most returns can be probed" awk '$2 == "sites:" { most = $3 > $1 - $3 } END { exit !most }' "$tmp/out"
run list -p "$pid" 'go!main.work:throw'
check "Go: no exception leaves it, in a list" grep -q '^go!main.work:throw .*no C++ exception leaves a Go function' \
	"$tmp/out"
# A goroutine may have been stopped at any instruction but the one that has become a jump: no other one is changed.
printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { ward_count returns; };' 'WARD_ENTRY(":return")' \
	'void on_return(const struct ward_event *ev, struct ward_state *st) { (void)ev; st->returns++; }' \
	>"$tmp/returns.c"
cp "$tmp/calls.ward" "$tmp/both.ward"
run cc "$tmp/returns.c" -o "$tmp/calls.ward"
attach "$pid" 'go!*'
changes "$pid" "$tmp/go" >"$tmp/changes"
objdump -d --no-show-raw-insn "$tmp/go" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' | sort >"$tmp/instructions"
check "Go: exits that are patched" [ "$(awk '$2 == "351" { print $1 }' "$tmp/changes" | sort | comm -12 - "$tmp/instructions" | wc -l)" -gt 1000 ]
check "Go: no other instruction" [ "$(awk '$2 != "351" { print $1 }' "$tmp/changes" | sort | comm -12 - "$tmp/instructions" | wc -l)" = 0 ]
detach 'Go: all returns'
mv "$tmp/both.ward" "$tmp/calls.ward"
exec 9>&-
status=0
wait "$pid" || status=$?
check "Go under load: its end" [ "$status" = 0 ]
cat >"$tmp/sum.c" <<'END'
#include <ward/probe.h>
struct ward_state {
	ward_count sum, results, fails, recovers, recovered, ends, wide, least, two;
};
WARD_ENTRY("go!main.work")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->sum += ev->arg[0];
}
WARD_ENTRY("go!main.work:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->results += ev->ret;
}
WARD_ENTRY("go!main.fails:return")
void on_fails(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->fails++;
}
WARD_ENTRY("go!main.recovers:return")
void on_recovers(const struct ward_event *ev, struct ward_state *st)
{
	st->recovers++;
	st->recovered += ev->ret;
}
WARD_ENTRY("go!main.ends:return")
void on_ends(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->ends++;
}
WARD_ENTRY("go!main.wide:return")
void on_wide(const struct ward_event *ev, struct ward_state *st)
{
	st->wide++;
	st->least += ev->ret;
}
WARD_ENTRY("go!main.two:return")
void on_two(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->two++;
}
END
status=0
"$ward" trace --json -o "$tmp/results" "$tmp/sum.c" -- "$tmp/go" <<<$'go\ngo' >"$tmp/out" 2>"$tmp/err" || status=$?
check "Go from its beginning" [ "$status" = 0 ]
check "Go from its beginning: the answers" cmp -s <(yes '1499500 1499500 faults 0 traps 0' | head -n 2) "$tmp/out"
adds_up() { json "any(.[]; .field == \"$1\" and .value == $2)"; }
check "Go from its beginning: arguments" adds_up sum '2 * 20 * 499500'
check "Go from its beginning: results" adds_up results '2 * 20 * 500500000'
check "Go: a panic is no return" adds_up fails '2 * 20'
check "Go: what recovers returns" adds_up recovers '2 * 30'
check "Go: what recovers, its results" adds_up recovered '2 * 435'
check "Go: the end of a goroutine is no return" adds_up ends '2 * 15'
check "Go: results in all registers" adds_up wide '2 * 30'
check "Go: the first of them" adds_up least '2 * 435'
check "Go: a frame with nothing in it" adds_up two '2 * 30'
# A program that has memory of its own where the jump would have to lead that leaves what is behind it as it was.
begin
"$tmp/go" full <"$tmp/in" >"$tmp/answers" &
pid=$!
started+=("$pid")
exec 9>"$tmp/in"
ask "$pid"
run trace -p "$pid" -f 'go!main.two:return' "$tmp/returns.c"
check "Go: no room for an exit" [ "$status" = 3 ]
check "Go: no room for an exit, and says so" grep -q '^ward: go!main.two: no free memory where the jump at an exit can lead' "$tmp/err"
attach "$pid" 'go!main.*'
ask "$pid"
detach 'Go: room for others'
check "Go: room for others: returns seen" [ "$returns" -gt 20000 ]
check "Go: room for others, but it" json 'any(.[]; .site == "go!main.two:return" and (.reason // "" | startswith("no free memory")))'
yes '1499500 1499500 faults 0 traps 0' | head -n 2 >"$tmp/expected"
check "Go: room for others: the answers" cmp -s "$tmp/expected" "$tmp/answers"
unharmed "$pid" kept
exec 9>&-
wait "$pid"
for field in 'arg[0]' elapsed sp; do
	printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { ward_count n; };' \
		'WARD_ENTRY("go!main.work:return")' \
		"void on_return(const struct ward_event *ev, struct ward_state *st) { st->n += ev->$field; }" \
		>"$tmp/entry.c"
	run trace "$tmp/entry.c" -- "$tmp/go"
	check "Go: a return doesn't know ev->$field" [ "$status" = 3 ]
	check "Go: a return doesn't know ev->$field, and says so" grep -q \
		"a probe reads .*ev->${field%%[*}.*Go function" "$tmp/err"
done
# Such a probe is refused there, and nothing else is: neither other probes of the same exits, nor one of the entry.
cat >"$tmp/beside.c" <<'END'
#include <ward/probe.h>
struct ward_state {
	ward_count took, last, returns, calls;
};
WARD_ENTRY("go!main.work:return")
void on_elapsed(const struct ward_event *ev, struct ward_state *st)
{
	st->took += ev->elapsed;
}
WARD_ENTRY("go!main.work:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->returns++;
	st->last += ev->ret == 1;
}
WARD_ENTRY("go!main.work:return")
void on_sp(const struct ward_event *ev, struct ward_state *st)
{
	st->took += ev->sp;
}
WARD_ENTRY("go!main.work:throw")
void on_throw(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	st->took++;
}
WARD_ENTRY("go!main.work")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->arg[0] < 4000;
}
END
status=0
"$ward" trace --json -o "$tmp/results" "$tmp/beside.c" -- "$tmp/go" <<<'go' >"$tmp/out" 2>"$tmp/err" || status=$?
check "Go, beside what can't be served" [ "$status" = 0 ]
check "Go, beside what can't be served: the answer" grep -qx '1499500 1499500 faults 0 traps 0' "$tmp/out"
for probe in on_elapsed on_sp on_throw; do
	check "Go: $probe is refused" json "map(select(.probe == \"$probe\")) | length == 1 and .[0].type == \"skip\" and (.[0].reason | test(\"Go function\"))"
done
check "Go: the others are attached" json 'map(select(.type == "attach") | .probe) | sort == ["on_call", "on_return"]'
check "Go, beside what can't be served: every return" adds_up returns 20000
check "Go, beside what can't be served: their results" adds_up last 20
check "Go, beside what can't be served: every call" adds_up calls 20000
check "Go: what can't be served has not run" adds_up took 0

# A process in namespaces of its own, with a file system that nobody else sees, in which its program lies.
mkdir "$tmp/own"
if unshare --mount --pid --fork true 2>"$tmp/err"; then
	begin
	unshare --mount --pid --fork --kill-child sh -c "mount -t tmpfs none '$tmp/own' && cp '$tmp/pie' '$tmp/own/inner' && exec '$tmp/own/inner'" \
		<"$tmp/in" >"$tmp/answers" 2>"$tmp/inner" &
	outer=$!
	started+=("$outer")
	exec 9>"$tmp/in"
	until pid=$(pgrep -P "$outer") && [ "$(basename "$(readlink "/proc/$pid/exe")")" = inner ] ||
		! kill -0 "$outer" 2>/dev/null; do sleep 0.01; done
	check "namespaces: it has some" [ ! -e "$tmp/own/inner" -a \
		"$(awk '$1 == "NSpid:" { print $NF }' "/proc/$pid/status")" = 1 ]
	traced 'namespaces' "$pid" 'inner!work' 1 2001
	exec 9>&-
	status=0
	wait "$outer" || status=$?
	check "namespaces: its end" [ "$status" = 0 ]
else
	echo "not tested: namespaces, which can't be made here: $(cat "$tmp/err")"
fi
summary
