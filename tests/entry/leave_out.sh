#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# leave_out.sh SOURCE EXPRESSION COPY: a copy of a source with one line edited by sed. That there is such a line is
# checked.
set -e
mkdir -p "$(dirname "$3")"
sed -e "$2" "$1" > "$3.new"
if cmp -s "$1" "$3.new"; then
	echo "leave_out: $1 has no line for $2" >&2
	exit 1
fi
mv "$3.new" "$3"
