# SPDX-License-Identifier: Apache-2.0
# What the drivers share. Every check counts; a driver ends with the line "N passed, N failed". Arguments of a driver:
# the ward program, the directory with the built targets.
set -u
ward=$1
targets=$2
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
export XDG_CACHE_HOME=$tmp/cache # of queries' probes
passed=0 failed=0
started=()

# End only processes that this script started, by their ids, and only those that bash still has as jobs: ids are
# reused by other processes.
finish() {
	local pid
	for pid in ${started[@]+"${started[@]}"}; do
		jobs -p | grep -qx "$pid" || continue
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
}
trap finish EXIT

summary() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	exit
}

pass() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
	sed 's/^/    stdout: /' "$tmp/out" | head -20
	sed 's/^/    stderr: /' "$tmp/err" | head -20
}
check() { # description, then a command that must succeed
	local what=$1
	shift
	if "$@"; then pass; else fail "$what ($*)"; fi
}

# Run ward; its output in $tmp/out and $tmp/err, its status in $status.
run() {
	status=0
	"$ward" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
}

lines() { grep -c -- "$1" "$2" || true; }

# status what.. : ward must fail so, with one error and one hint, and nothing on standard output.
refused() {
	local want=$1 like=$2
	shift 2
	run "$@"
	check_refusal "$want" "$like" "ward $*"
}
check_refusal() {
	if [ "$status" != "$1" ]; then
		fail "$3: exit status $status, not $1"
	elif [ "$(lines '^ward: ' "$tmp/err")" != 1 ] || [ "$(lines '^hint: ' "$tmp/err")" != 1 ]; then
		fail "$3: not one error and one hint"
	elif ! grep -q -- "^ward: .*$2" "$tmp/err"; then
		fail "$3: the error doesn't say '$2'"
	elif [ -s "$tmp/out" ]; then
		fail "$3: output beside the error"
	else
		pass
	fi
}

# A process that was just started is the shell's copy until it has executed its program: wait for that, or for its end.
wait_until_runs() { # process, path
	local path
	path=$(readlink -f "$2")
	until [ "$(readlink "/proc/$1/exe")" = "$path" ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.01; done
}

# The target's loop has gone round again: each round ends with a wait. However long that takes on a busy machine.
waits_of() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"; }
wait_for_rounds() { # process
	local before
	before=$(waits_of "$1")
	until [ "$(waits_of "$1")" -gt $((before + 3)) ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.01; done
}

# Start a target that runs until its input ends: its process id in $pid.
start_loop() { # path
	mkfifo "$tmp/in.$#.$RANDOM" 2>/dev/null
	local fifo
	fifo=$(ls -t "$tmp"/in.* | head -1)
	"$1" loop <"$fifo" >"$tmp/loop" &
	pid=$!
	started+=("$pid")
	exec 9>"$fifo"
	rm -f "$fifo"
	wait_until_runs "$pid" "$1"
}
# End it, and see that it was never disturbed.
end_loop() { # description
	exec 9>&-
	local result=0
	wait "$pid" || result=$?
	if [ "$result" = 0 ] && [ "$(cat "$tmp/loop")" = "all right" ]; then
		pass
	else
		fail "$1: the target was harmed: status $result, '$(cat "$tmp/loop")'"
	fi
}
