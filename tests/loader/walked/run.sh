#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stacks beside libdw's, of programs without frame pointers that are stopped anywhere (test_walk_samples.c).
#
#   tests/loader/walked/run.sh BUILD STACKS [PROGRAM]...    so many of all of them together; at least 99.9 % of each
#                                                           program's must be the same
#
# The programs: sqlite3, postgres, python3, node, and one each in C++, Rust and Go. A million takes a quarter of an
# hour.
set -u

here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
wanted=$2
samples=$build/bin/test-loader-${WALKED:-walk-samples} # or walk-copies: of samples by the clock
shift 2
programs=("$@")
[ $# != 0 ] || programs=(sqlite3 postgres python3 node C++ Rust Go)
each=$(((wanted + ${#programs[@]} - 1) / ${#programs[@]}))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

sample() { # program
	case $1 in
	sqlite3)
		"$samples" "$each" 999 /usr/bin/sqlite3 :memory: "with recursive t(x) as (select 1 union all
			select x + 1 from t) select sum(length(printf('%d %s', x, hex(x)))) from t;"
		;;
	postgres) "$here/postgres.sh" "$samples" "$each" 999 ;;
	python3) "$samples" "$each" 999 /usr/bin/python3 "$here/busy.py" ;;
	node) "$samples" "$each" 999 /usr/bin/node "$here/busy.js" ;;
	C++ | Rust | Go) "$samples" "$each" 999 "$build/tests/loader/busy-$1" ;;
	*)
		echo "ward: walked: $1: no such program" >&2
		return 2
		;;
	esac
}

same=0 all=0 failed=0
for program in "${programs[@]}"; do
	began=$SECONDS
	sample "$program" >"$log" 2>&1 </dev/null
	status=$?
	line=$(grep -a 'stacks are the same' "$log" | tail -n 1)
	if [ -z "$line" ] || [ $status != 0 ]; then
		failed=1
		echo "$program: failed ($status)"
		cat "$log"
	fi
	[ -n "$line" ] || continue
	read -r one of <<<"$(sed -E 's/.*: ([0-9]+) of ([0-9]+) stacks.*/\1 \2/' <<<"$line")"
	same=$((same + one)) all=$((all + of))
	echo "$program: ${line##*: } ($((SECONDS - began)) s)"
	[ "$one" = "$of" ] || grep -a '^  ' "$log"
done
[ ${#programs[@]} = 1 ] || echo "all: $same of $all stacks are the same"
exit $failed
