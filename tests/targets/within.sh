#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls within a probe's run, at each moment of it: each is told or counted, and none twice.
# usage: within.sh WARD MODULE PROGRAM
set -u
out=$("$1" trace "$2" -- "$3" 2>&1) || { echo "$out"; exit 1; }
echo "$out"
number() {
	echo "$out" | sed -n "s/$1/\1/p"
}
calls=$(number '^\([0-9]*\) calls$')
told=$(number '^rets  *\([0-9]*\)$')
dropped=$(number '.* \([0-9]*\) dropped$')
echo "$out" | grep -q '^foreign  *0$' && [ "$dropped" -gt 0 ] && [ "$told" -gt 100 ] &&
	[ $((told + dropped)) -eq "$calls" ]
