#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench/shares.sh BUILD: how many of a program's functions can be probed where they begin, and what the rest is.
#
# Functions are what symbols say, less the parts that a compiler split off: those are jumped to, not called. The share
# is of the functions that have the five bytes of a jump, or padding behind them.
# The programs are Debian's, with what symbols their files have, and one compiled by Go; each waits for input that
# never comes.
set -eu
ward=$1/bin/ward
top=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$tmp"
mkfifo "$tmp/in"

not_a_function='a part of a function, which the compiler split off'
too_short='the function is shorter than'

share() { # module, command
	local module=$1
	shift
	"$@" <>"$tmp/in" >"$tmp/said" 2>&1 &
	pid=$!
	until grep -q "/$module\$" "/proc/$pid/maps" &&
		[ "$(readlink "/proc/$pid/exe")" != "$(readlink "/proc/$$/exe")" ] &&
		grep -q '^State:.S' "/proc/$pid/status"; do
		kill -0 "$pid" 2>/dev/null || { cat "$tmp/said" >&2; exit 1; }
		sleep 0.1
	done
	"$ward" list -p "$pid" --json "$module!*" >"$tmp/list"
	kill "$pid"
	wait "$pid" || true
	pid=
	jq -r 'select(.site | contains("!:") | not) | .method // .reason | if . == "jump" or . == "call" then "can" else . end' "$tmp/list" | sort | uniq -c | sort -rn |
		awk -v module="$module" -v no="$not_a_function" -v short="$too_short" '
			index($0, no) { next }
			index($0, short) { shorter += $1; next }
			$2 == "can" { can = $1; all += $1; next }
			{ n = $1; sub(/^ *[0-9]+ /, ""); rest[++kinds] = sprintf("%41d  %s", n, $0); all += n }
			END {
				printf "%-18s %10d %10d %10d %7.2f %%\n", module, all + shorter, shorter, can, 100 * can / all
				for (i = 1; i <= kinds; i++) print rest[i]
			}'
}

printf '%-18s %10s %10s %10s %9s\n' module functions 'too short' 'can be' share
share libc.so.6 cat
share libLLVM.so.19.1 /usr/lib/llvm-19/bin/opt -o /dev/null -
share node node -e 'process.stdin.resume()'

programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as=()
mkdir "$tmp/data"
if [ "$(id -u)" = 0 ]; then # postgres refuses to be root
	as=(setpriv --reuid nobody --regid nogroup --clear-groups --)
	chown nobody:nogroup "$tmp/data"
fi
(cd / && "${as[@]}" "$programs/initdb" -D "$tmp/data" -A trust -N >"$tmp/said" 2>&1) || { cat "$tmp/said" >&2; exit 1; }
share postgres "${as[@]}" "$programs/postgres" --single -D "$tmp/data" postgres

env HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off go build -o "$tmp/kinds" "$top/tests/programs/kinds.go"
share kinds "$tmp/kinds"
