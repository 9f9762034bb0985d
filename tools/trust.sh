#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is trusted, file by file: prints the table of docs/reviewer/TRUST.md.
#
#	tools/trust.sh            print it
#	tools/trust.sh --check    does the page have the same files, and lines that are right to a twentieth?
#	tools/trust.sh --update   put it into the page
set -eu
cd "$(dirname "$0")/.."
page=docs/reviewer/TRUST.md

# Lines of C that are neither blank nor only a comment, and the names of the files.
row() { # part, files
	local part=$1 names
	shift
	names=$(for f in "$@"; do echo "${f##*/}"; done | LC_ALL=C sort | tr '\n' ' ')
	cat "$@" | awk -v part="$part" -v names="${names% }" '
		{ line = $0; gsub(/^[ \t]+/, "", line) }
		comment { if (index(line, "*/")) comment = 0; next }
		line ~ /^\/\*/ { if (!index(line, "*/")) comment = 1; if (line ~ /\*\/[ \t]*$/ || comment) next }
		line == "" || line ~ /^\/\// { next }
		{ code++ }
		END { printf "| %s | %s | %d | %d |\n", part, names, NR, code }'
}

# Files of a folder that are not the named ones.
others() { # folder, names
	local folder=$1 f
	shift
	for f in "$folder"/*.c "$folder"/*.h; do
		case " $* " in
		*" ${f##*/} "*) ;;
		*) echo "$f" ;;
		esac
	done
}

words="origin.c print.c refused.c violation.c violation.h verdict.c words.c"
decoding="decode.c insn.h opcode.h"
file="module.c module.h cursor.h"
names_of_refused=refused.def
prefixed() { for f in $2; do echo "$1/$f"; done; }
table() {
	echo "| part | files | lines | of code |"
	echo "|---|---|---|---|"
	row "tables in \`spec/ward/\`" $(ls spec/ward/*.def | grep -v "/$names_of_refused$")
	row "\`verifier/\`: bytes of the file" $(prefixed verifier "$file")
	row "\`verifier/\`: bytes to instructions" $(prefixed verifier "$decoding")
	row "\`verifier/\`: the proof and its check" $(others verifier $words $decoding $file)
	row "\`verifier/\`: words; in the same process, decide nothing" $(prefixed verifier "$words") spec/ward/$names_of_refused
	row "\`loader/\`: verify, then attach" loader/*.c loader/*.h
	row "\`loader/kernel/\`: the running kernel, from outside" loader/kernel/*.c loader/kernel/*.h
	row "\`loader/kernel/module/\`: the running kernel, inside" loader/kernel/module/*.c loader/kernel/module/*.h loader/kernel/module/*.S
	row "\`loader/user/\`: sites, stubs, patching" loader/user/*.c loader/user/*.h loader/user/*.S
	row "\`loader/follow/\`: children, and what they become; libraries that are loaded later" loader/follow/*.c loader/follow/*.h
}

# The page's table is between two marks.
of_page() { sed -n '/^<!-- trusted files/,/^<!-- end -->/p' "$page" | grep '^|'; }

case ${1:-} in
'') table ;;
--update)
	table >"$page.table"
	sed -i -e "/^<!-- trusted files/r $page.table" -e '/^<!-- trusted files/,/^<!-- end -->/{/^|/d}' "$page"
	rm -f "$page.table"
	;;
--check)
	paste -d '\n' <(table) <(of_page) | awk -F '|' '
		NR % 2 { is = $0; part = $2; files = $3; lines = $4; code = $5; next }
		is == $0 { next }
		part != $2 || files != $3 { print "ward: trust: other files: " $2 ":" $3 " instead of " part ":" files; bad = 1; next }
		$4 * 20 < lines * 19 || $4 * 20 > lines * 21 || $5 * 20 < code * 19 || $5 * 20 > code * 21 {
			print "ward: trust:" part "has" lines "lines," code "of code; the page says" $4 "and" $5; bad = 1
		}
		END { if (NR < 6) bad = 1; if (bad) print "hint: tools/trust.sh --update"; exit bad }' >&2
	;;
*) echo "usage: tools/trust.sh [--check|--update]" >&2; exit 2 ;;
esac
