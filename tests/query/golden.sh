#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The plan and the probe of each query in golden/ are as recorded: golden.sh TOOL. With --write it records them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$1 write=${2-} passed=0 failed=0
for query in "$here"/golden/*.wq; do
	plan=${query%.wq}.plan
	said=$("$tool" <"$query")
	if [ "$write" = --write ]; then
		printf '%s\n' "$said" >"$plan"
	elif diff "$plan" <(printf '%s\n' "$said"); then
		passed=$((passed + 1))
	else
		echo "FAILED: ${query##*/}"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && { [ "$passed" -gt 0 ] || [ "$write" ]; }
