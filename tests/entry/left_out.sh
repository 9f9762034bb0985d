#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# left_out.sh PROGRAM TEST...: the tests of flags that fail are these, and no others.
program=$1
shift
expected=$(printf 'flags::%s\n' "$@" | sort)
output=$("$program" 2>&1)
failed=$(printf '%s\n' "$output" | sed -n 's/.*\[FAIL\][^:]*\(flags::[a-z_]*\).*/\1/p' | sort -u)
[ "$failed" = "$expected" ] && exit 0
printf '%s\n' "$output"
echo "expected to fail:" $expected
echo "failed:" $failed
exit 1
