#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Make a manual page: the command's --help gives its synopsis and options, so that they can't differ; a file of ours
# the rest.
# Usage: man.sh SOURCE VERSION OUTPUT COMMAND [WORD]...
# In the source a line .\"SYNOPSIS stands for the usage lines, .\"OPTIONS for the options.
set -eu
page=$1 version=$2 output=$3
shift 3
help=$("$@" --help)

# What roff would take for something else: backslashes, hyphens that are to stay hyphens, and lines that begin with a
# dot or a quote.
escape() {
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/^\([.'\'']\)/\\\&\1/' -e 's/…/.../g'
}

synopsis() {
	sed -n '/^[Uu]sage:/,/^[^ ]/p' <<<"$help" | sed -n -e 's/^[Uu]sage: *//p' -e 's/^       *\(ward.*\)/\1/p' |
		escape | while IFS= read -r line; do
		printf '.Bd -literal -compact\n%s\n.Ed\n' "$line"
	done
}

# "  -p, --pid PID   the process": two spaces and more divide an option from what is said of it, which may go on in
# the lines below.
options() {
	printf '.Bl -tag -width Ds\n'
	awk '
		/^  -/ {
			line = substr($0, 3)
			at = match(line, /   *[^ ]/)
			name = at ? substr(line, 1, at - 1) : line
			text = at ? substr(line, at) : ""
			gsub(/^ +/, "", text)
			print "\001" name
			if (text) print text
			inside = 1
			next
		}
		/^   +[^ ]/ && inside { gsub(/^ +/, ""); print; next }
		{ inside = 0 }
	' <<<"$help" | escape | sed 's/^\x01\(.*\)/.It Xo\n\1\n.Xc/'
	printf '.El\n'
}

while IFS= read -r line; do
	case $line in
	'.\"SYNOPSIS') synopsis ;;
	'.\"OPTIONS') options ;;
	*) printf '%s\n' "${line//@VERSION@/$version}" ;;
	esac
done <"$page" >"$output"
