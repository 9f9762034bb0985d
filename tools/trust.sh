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

# What is said of a verdict decides nothing, though it runs in the same process.
words="base/violation.c base/violation.h base/verdict.c check/blame.c check/describe.c decode/print.c decode/refused_names.c"
names_of_refused=refused.def
rights_on_the_bus=role.def

# A folder's files, but for those that are words.
files() { # folder
	local f
	for f in "$1"/*.[chS]; do
		case " $words " in
		*" ${f#verifier/} "*) ;;
		*) echo "$f" ;;
		esac
	done
}

table() {
	echo "| part | files | lines | of code |"
	echo "|---|---|---|---|"
	row "tables in \`spec/ward/\`" $(ls spec/ward/*.def | grep -Ev "/($names_of_refused|$rights_on_the_bus)$")
	row "\`verifier/file/\`: bytes of the file" verifier/base/cursor.h $(files verifier/file)
	row "\`verifier/decode/\`: bytes to instructions" $(files verifier/decode)
	row "\`verifier/domain/\`: abstract values" $(files verifier/domain)
	row "\`verifier/proof/\`: the proof, read" $(files verifier/proof)
	row "\`verifier/step/\`: what an instruction does to them" $(files verifier/step)
	row "\`verifier/check/\`: the proof and the code, checked" $(files verifier/check)
	row "\`verifier/\`: words; in the same process, decide nothing" $(for f in $words; do echo "verifier/$f"; \
		done) spec/ward/$names_of_refused
	row "\`verifier/sandbox/\`: confines readers of debug information; not in libward-verify" $(files \
		verifier/sandbox)
	row "\`loader/base/\`: verify; errors" $(files loader/base)
	row "\`loader/process/\`: a live process" $(files loader/process)
	row "\`loader/helper/\`: the program that attaches for a process that attaches to itself" \
		$(files loader/helper) $(files loader/helper/program)
	row "\`loader/symbols/\`: what its files say" $(files loader/symbols)
	row "\`loader/code/\`: where a probe can sit" $(files loader/code)
	row "\`loader/stub/\`: code that runs in the target" $(files loader/stub)
	row "\`loader/inject/\`: memory and jumps in the target" $(files loader/inject)
	row "\`loader/attach/\`: one image in one program" $(files loader/attach)
	row "\`loader/sample/\`: samples of a process, and the probes that run for them in this one" $(files \
		loader/sample)
	row "\`loader/control/\`: children, and what they become; libraries that are loaded later" $(files \
		loader/control)
	row "\`loader/backend/\`: what can be done with a session, by target" $(files loader/backend)
	row "\`loader/api/\`: the functions of \`ward/ward.h\`" $(files loader/api)
	row "\`loader/kernel/\`: the running kernel, from outside" $(files loader/kernel)
	row "\`kmod/\`: the running kernel, inside" $(files kmod)
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
