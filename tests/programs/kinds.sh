#!/bin/bash
# Programs of every kind: linked in each way, of other C libraries and languages, with handlers of their own for faults and traps, in namespaces of their own.
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
	asked=$((asked + 1))
	echo go >&9
	while [ "$(wc -l <"$tmp/answers")" -lt $asked ] && kill -0 "$1" 2>/dev/null; do sleep 0.01; done
}
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

# Go: entries only. Then every function of the program, while it works and its runtime stops and profiles goroutines by signals; and from the program's beginning, with arguments.
command -v go >/dev/null || missing golang-go
built 'Go' env HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -o "$tmp/go" "$here/kinds.go"
whole Go "$tmp/go" 0 20000 main.work 0
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
exec 9>&-
status=0
wait "$pid" || status=$?
check "Go under load: its end" [ "$status" = 0 ]
cat >"$tmp/sum.c" <<'END'
#include <ward/probe.h>
struct ward_state {
	ward_count sum;
};
WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->sum += ev->arg[0];
}
END
status=0
"$ward" trace -f 'go!main.work' --json -o "$tmp/results" "$tmp/sum.c" -- "$tmp/go" <<<$'go\ngo' >"$tmp/out" 2>"$tmp/err" || status=$?
check "Go from its beginning" [ "$status" = 0 ]
check "Go from its beginning: arguments" json 'any(.[]; .field == "sum" and .value == 2 * 20 * 499500)'

# A process in namespaces of its own, with a file system that nobody else sees, in which its program lies.
mkdir "$tmp/own"
if unshare --mount --pid --fork true 2>"$tmp/err"; then
	begin
	unshare --mount --pid --fork --kill-child sh -c "mount -t tmpfs none '$tmp/own' && cp '$tmp/pie' '$tmp/own/inner' && exec '$tmp/own/inner'" \
		<"$tmp/in" >"$tmp/answers" 2>"$tmp/inner" &
	outer=$!
	started+=("$outer")
	exec 9>"$tmp/in"
	until pid=$(pgrep -P "$outer") && [ "$(basename "$(readlink "/proc/$pid/exe")")" = inner ] || ! kill -0 "$outer" 2>/dev/null; do sleep 0.01; done
	check "namespaces: it has some" [ ! -e "$tmp/own/inner" -a "$(awk '$1 == "NSpid:" { print $NF }' "/proc/$pid/status")" = 1 ]
	traced 'namespaces' "$pid" 'inner!work' 1 2001
	exec 9>&-
	status=0
	wait "$outer" || status=$?
	check "namespaces: its end" [ "$status" = 0 ]
else
	echo "not tested: namespaces, which can't be made here: $(cat "$tmp/err")"
fi
summary
