#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lock of proofs says no where it must: a question that has changed, a statement that is new, one that is no more,
# a line that says nothing. Of some statements, which are proven soon.
#
#   lock.sh WARD-Z3 LOCK BITCODE...
set -u
z3=$1 lock=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# Run it with the lock that `edit` made of the right one; expect its status, and a line.
expect() { # what, status, pattern of a line, sed's script, bitcode
	local what=$1 wanted=$2 pattern=$3 edit=$4 status=0
	shift 4
	sed -E "$edit" "$lock" >"$tmp/lock"
	"$z3" -j2 -e 20 --quick --only='saturated_' --lock="$tmp/lock" --seed=1 "$@" >"$tmp/out" 2>&1 || status=$?
	if [ "$status" = "$wanted" ] && grep -qE -e "$pattern" "$tmp/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what: status $status"
		cat "$tmp/out"
	fi
}

other='s/^0(.* saturated_sum )/1\1/; t; s/^.(.* saturated_sum )/0\1/'
expect 'the lock as it is' 0 '^z3: lock: 2 of 2 statements are what was proven' '' "$@"
expect 'another question' 1 '^ward: proofs: 1 statements differ from ' "$other" "$@"
expect 'which is named' 1 '^z3: lock: another question than was proven: saturated_sum ' "$other" "$@"
expect 'and proven' 1 '^saturated_sum .* proven ' "$other" "$@"
expect 'no line' 1 '^z3: lock: a new statement: saturated_sum ' '/ saturated_sum /d' "$@"
expect 'a line too many' 1 '^z3: lock: there is no statement: saturated_rest ' \
	's/^(.*) saturated_sum (.*)$/&\n\1 saturated_rest \2/' "$@"
expect 'two lines for one' 2 'saturated_sum .* has two lines' 's/^.* saturated_sum .*$/&\n&/' "$@"
expect 'no line of a lock' 2 'not a line of the lock' 's/^(.*) saturated_sum/\1x saturated_sum/' "$@"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
