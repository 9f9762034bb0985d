#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The probe of each query in golden/ compiles without a warning, and without a guard unless it divides by what isn't
# known: compile.sh WARD TOOL.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
tool=$2
cd "$tmp"
for query in "$here"/golden/*.wq; do
	name=$(basename "$query" .wq) options=
	"$tool" <"$query" | sed '1,/^--- the probe$/d' >"$name.c"
	grep -q '^#define WARD_QUERY_KERNEL' "$name.c" && options='--profile kernel'
	grep -qE 'ward_query_(signed_)?(div|mod|window)' "$name.c" || options="$options --guards=never"
	run cc $options -o "$name.ward" "$name.c"
	check "$name" [ "$status" = 0 ]
	check "$name: no warning" [ ! -s err ]
done
summary
