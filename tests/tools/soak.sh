#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The record of a soak: a line for each slice, and their sum; a slice that fails is told from one that holds. In a
# build folder whose programs are made up here.
#
#   soak.sh SOURCE-FOLDER
set -u
cd "$1" || exit 2
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir "$build/bin"
printf '#!/bin/sh\necho "num: $1 checks, 0 failures"\n' >"$build/bin/ward-num-oracle"
printf '#!/bin/sh\necho "loops: accepted none"\nexit 3\n' >"$build/bin/ward-loops-oracle"
chmod +x "$build"/bin/*
passed=0 failed=0

expect() { # what, status, pattern of a line, command
	local what=$1 wanted=$2 pattern=$3 status=0
	shift 3
	"$@" >"$build/out" 2>&1 || status=$?
	if [ "$status" = "$wanted" ] && grep -qP -e "$pattern" "$build/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what: status $status"
		cat "$build/out"
	fi
}

export WARD_SOAK_SEED=1000
soak=tools/soak.sh
expect 'no record' 2 "^ward: soak: $build/soak.log: there is no record" $soak --sum "$build"
expect 'no such step' 2 '^ward: soak: number: no such step or slice' $soak "$build" number
expect 'no such slice' 2 '^ward: soak: numbers/5: no such step or slice' $soak "$build" numbers/5
expect 'all slices' 0 '^numbers +5 +5 +0 +0 +0.0  num: 1004 checks, 0 failures$' $soak "$build" numbers
expect 'one slice, again' 0 '^numbers +6 +5 +0 +0 +0.0  num: 1003 checks, 0 failures$' $soak "$build" numbers/3
expect 'one that fails' 1 '^loops/1 +seed 1001 +\d+ s  failed \(3\)  loops: accepted none$' $soak "$build" loops/1
expect 'the sum' 1 '^soak: 7 slices, 1 failed, 0.0 hours, from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ to ' $soak --sum "$build"
expect 'the record' 0 '^[\dTZ:-]+\tloops/1\t\S+\t1001\t\d+\tfailed \(3\)\tloops: accepted none$' cat "$build/soak.log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
