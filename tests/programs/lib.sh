# SPDX-License-Identifier: Apache-2.0
# What the drivers share that trace programs of Debian while those serve their clients. Each driver: counts are exact
# where the client says how many there must be; probes that come and go under load change no result; what the
# program is at the end is what its files say. Programs listen on Unix sockets in a private directory, which goes with
# them.
. "$(dirname "$0")/../cli/lib.sh"

# The factor for the amount of work under load: 1, or more for a long run.
times=${WARD_PROGRAM_TIMES:-1}

program=$(basename "$0" .sh)
json() { jq -e -s "$1" "$tmp/results" >/dev/null; }
run cc "$here/calls.c" -o "$tmp/calls.ward"
check "cc" [ "$status" = 0 ]
run cc "$here/pairs.c" -o "$tmp/pairs.ward"
check "cc, of pairs" [ "$status" = 0 ]
module=calls

missing() { # package
	fail "$program isn't there: make deps installs it (package $1)"
	summary
}

# Patience of a loaded machine: as long as the process lives.
until_works() { # process, command
	local pid=$1
	shift
	until "$@" >"$tmp/out" 2>"$tmp/err"; do
		kill -0 "$pid" 2>/dev/null || { fail "$program ended: $*"; summary; }
		sleep 0.05
	done
}

# Trace a site of a process from now on.
attach() { # process, site
	: >"$tmp/results"
	"$ward" trace -p "$1" -f "$2" --json -o "$tmp/results" "$tmp/$module.ward" >"$tmp/trace.out" \
		2>"$tmp/trace.err" </dev/null &
	tracer=$!
	started+=("$tracer")
	until grep -q '"type":"attach"' "$tmp/results"; do
		kill -0 "$tracer" 2>/dev/null ||
			{ cp "$tmp/trace.err" "$tmp/err"; fail "$program: attach to $2"; summary; }
		sleep 0.01
	done
}

# And no longer: its counts are in $calls and $returns.
detach() { # description
	status=0
	kill -TERM "$tracer"
	wait "$tracer" || status=$?
	cp "$tmp/trace.err" "$tmp/err"
	check "$1: the tracer's status" [ "$status" = 0 ]
	calls=$(jq -r 'select(.field == "calls") | .value' "$tmp/results")
	returns=$(jq -r 'select(.field == "returns") | .value' "$tmp/results")
	calls=${calls:-0} returns=${returns:-0}
}

# A client that works in rounds until there has been enough: each adds a line to $tmp/rounds. The command is one round.
start_rounds() { # command
	: >"$tmp/rounds"
	rm -f "$tmp/enough"
	(while [ ! -e "$tmp/enough" ]; do "$@" || exit 1; echo x >>"$tmp/rounds"; done) >"$tmp/load" 2>&1 &
	load=$!
	started+=("$load")
}
end_rounds() {
	: >"$tmp/enough"
	status=0
	wait "$load" || status=$?
	cp "$tmp/load" "$tmp/err"
	check "the client's end" [ "$status" = 0 ]
	rounds=$(wc -l <"$tmp/rounds")
}

# While it works: attach to sites in turn and detach from them, once it has come round again. There must have been
# calls.
come_and_go() { # times, process, sites
	local times=$1 process=$2 i site before
	shift 2
	for ((i = 0; i < times; i++)); do
		for site in "$@"; do
			attach "$process" "$site"
			before=$(wc -l <"$tmp/rounds")
			while [ "$(wc -l <"$tmp/rounds")" -le $((before + 1)) ] &&
				kill -0 "$load" 2>/dev/null; do sleep 0.01; done
			detach "$site under load"
			check "$site under load: calls seen" [ "$calls" -gt 0 ]
			json 'any(.[]; .type == "attach" and .probe == "on_return")' &&
				check "$site under load: returns seen" [ "$returns" -gt 0 ]
		done
	done
}

# Tracers that are killed at any moment from their start to some time after they have attached, and what they leave
# taken off.
come_and_die() { # times, process, site
	local i
	for ((i = 0; i < $1; i++)); do
		"$ward" trace -p "$2" -f "$3" "$tmp/calls.ward" >"$tmp/trace.out" 2>"$tmp/trace.err" </dev/null &
		tracer=$!
		started+=("$tracer")
		sleep "0.$(printf %03d $((RANDOM % 300)))"
		kill -KILL "$tracer"
		wait "$tracer" 2>/dev/null
		# A thread may be in a stub at the very moment.
		until
			run detach -p "$2"
			[ "$status" != 3 ] || ! grep -q 'a thread may be in its code still' "$tmp/err"
		do sleep 0.01; done
		check "$3, after a killed tracer: cleaned" [ "$status" = 0 ]
	done
}

stir() { :; }

# Nothing of Ward's is in the process, and all its code is as the files have it. On a Go program's, V8's or Python's
# stacks any number may be taken for an address in a stub, for as long as it is there, an old one where frames
# leave room among them: then memory is kept, and that said. A driver that can have its program do something has it as
# `stir`, upon which other numbers stand there.
unharmed() { # process, "kept" if memory may be
	local range perms offset dev inode path start size have seen=0 wrong= i
	for i in {1..10}; do
		run detach -p "$1"
		grep -q 'a thread may be in its code still' "$tmp/err" || break
		stir
		sleep 0.1
	done
	check "detach: nothing is left" grep -q "^nothing of Ward's is left${2:+\\|  kept: a thread may be in its code still}" "$tmp/out"
	while read -r range perms offset dev inode path; do
		[[ $path != /memfd:ward-* ]] || { [ -n "${2:-}" ] || wrong+=" $path"; continue; }
		[[ $perms = r-x? && $path = /* ]] || continue
		start=$((16#${range%-*})) offset=$((16#$offset))
		size=$((16#${range#*-} - start)) have=$(($(stat -L -c %s "/proc/$1/root$path") - offset))
		((size <= have)) || size=$have
		dd if="/proc/$1/mem" bs=4096 skip=$((start / 4096)) count=$(((size + 4095) / 4096)) 2>/dev/null |
			cmp -s -n "$size" -i "0:$offset" - "/proc/$1/root$path" || wrong+=" $path"
		seen=$((seen + 1))
	done <"/proc/$1/maps"
	check "code as in the files:$wrong" [ -z "$wrong" -a "$seen" -gt 0 ]
}
