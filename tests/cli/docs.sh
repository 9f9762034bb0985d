#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the documents tell authors to write compiles: their probes, and each row of the table of what a probe can keep.
. "$(dirname "$0")/lib.sh"
root=$here/../..
aggregates=$root/docs/author/aggregates.md types=$root/docs/kernel/types.md
cd "$tmp"

# Whole probes are in blocks of C, and in files that are shown.
awk '/^```/ { if (open) close(name); open = !open; name = ""; next }
	open && /^#include <ward\/kernel.h>/ { name = "kernel.c" }
	open && !name && /^#include <ward\/probe.h>/ { name = "block" ++n ".c" }
	open && name && /^\$/ { name = "" }
	name { print > name }' "$root/README.md" "$root"/docs/author/*.md "$types"
check "there are probes in it" [ -e block2.c ]
for block in block*.c; do
	run cc "$block" -o block.ward
	check "$block" [ "$status" = 0 -a ! -s err ]
done

# A row: what stands in the state, and what is written in the probe. None of it needs a guard.
rows=0
while IFS='|' read -r _ member _ calls _; do
	rows=$((rows + 1))
	member=$(sed -E 's/^ *`(.*)` *$/\1/' <<<"$member")
	{
		printf '#include <ward/probe.h>\n'
		printf 'enum { LO = -8, STEP = 8, N = 64, Q = 16, P = 8, C = 256, S = 64, D = 2 };\ntypedef struct { unsigned long time, size; } T_record;\n'
		case $member in
		WARD_RING*|WARD_QUEUE*|WARD_FLIGHT*) printf 'typedef T_record T;\n' ;;
		WARD_CALLS*) printf 'typedef unsigned long T;\n' ;;
		WARD_EWMA*|WARD_QUANTILES*) printf '#define K 4\n' ;;
		*) printf 'typedef void *K;\ntypedef ward_count V;\n' ;;
		esac
		printf 'struct ward_state { %s x; ward_count passed; };\nWARD_ENTRY("target!work")\n' "$member"
		printf 'void on_work(const struct ward_event *ev, struct ward_state *st)\n{\n\tunsigned long v __attribute__((unused)) = ev->arg[2];\n'
		printf '\tvoid *key __attribute__((unused)) = (void *)ev->caller;\n\tT_record record __attribute__((unused)) = {ev->time, v};\n'
		grep -oE '`[^`]+`' <<<"$calls" | sed -E 's/`(.*)`/\t\1;/; s/^\tif (.*);$/\tif \1\n\t\tst->passed++;/'
		printf '}\n'
	} >row.c
	run cc --guards never row.c -o row.ward
	check "$member: ${calls#* }" [ "$status" = 0 -a ! -s err ]
done < <(sed -n '/^| in the state/,/^$/p' "$aggregates" | grep '^| `')
check "all rows were found" [ "$rows" -ge 15 ]

# The same of what threads share.
rows=0
while IFS='|' read -r _ member _ calls _; do
	rows=$((rows + 1))
	member=$(sed -E 's/^ *`(.*)` *$/\1/' <<<"$member")
	{
		printf '#include <ward/probe.h>\nenum { N = 64 };\ntypedef void *K;\ntypedef unsigned long V;\n'
		printf 'struct ward_state { ward_count passed; };\nWARD_SHARED(%s x;);\nWARD_ENTRY("target!work")\n' "$member"
		printf 'void on_work(const struct ward_event *ev, struct ward_state *st)\n{\n\tunsigned long v = ev->arg[2];\n'
		printf '\tvoid *key __attribute__((unused)) = (void *)ev->caller;\n\tst->passed += v;\n'
		grep -oE '`[^`]+`' <<<"$calls" | sed -E 's/`(.*)`/\t\1;/'
		printf '}\n'
	} >row.c
	run cc --guards never row.c -o row.ward
	check "$member: ${calls#* }" [ "$status" = 0 -a ! -s err ]
done < <(sed -n '/^| in `WARD_SHARED/,/^$/p' "$aggregates" | grep '^| `')
check "both rows of what threads share were found" [ "$rows" = 2 ]

# Headers that are meant to be used have a row, or are told of elsewhere.
for header in "$here"/../../probes/include/ward/*.h; do
	for name in $(sed -nE 's/^#define (WARD_[A-Z0-9]+)\([A-Z, ]+\) .*\\$/\1/p' "$header" |
		grep -vE 'WARD_(CONSTANT|MAP_SLOTS|RING_SLOTS|CALLS_.*)$'); do
		check "the documents know $name" grep -qr "\`$name(" "$root/docs/author" "$root/docs/kernel"
	done
done

# Its own probe is the file that it is said to be.
check "the example is probes/kernel/switches.c" diff kernel.c <(sed '1,/^ \*\//d' \
	"$here/../../probes/kernel/switches.c")
check "the example is probes/kernel/loops.c" diff <(awk '/^WARD_KERNEL_MODULE/ { shown = 1 } shown && /^```/ { exit } shown && $0 != "…"' "$types") <(sed -n '/^WARD_KERNEL_MODULE/p; /^WARD_ENTRY/,$p' "$here/../../probes/kernel/loops.c")
check "the example is probes/reads.c" diff <(sed 's/ *\/\*.*\*\/$//' block1.c) <(sed \
	'1,/^ \*\//d; s/ *\/\*.*\*\/$//' "$here/../../probes/reads.c")
summary
