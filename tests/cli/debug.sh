#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What shows an author the code: the listing with its guards, and debuggers, which follow the source through guarded
# code.
. "$(dirname "$0")/lib.sh"
cd "$tmp"
cat >wild.c <<'C'
#include <ward/probe.h>
struct ward_state {
	unsigned long at[16];
};
static void bump(struct ward_state *st, unsigned long i)
{
	st->at[i]++;
}
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	bump(st, ev->arg[0]);
	for (unsigned long i = 0; i < ev->arg[1]; i++)
		st->at[i & 15] ^= ev->arg[2] / ev->arg[3];
	st->at[3] = 1;
}
C
said() { check "$1" grep -qE -- "$2" out; }

# The listing: source lines, code below them, and of each guard what it is for.
run cc -S wild.c -o wild.ward
check "-S: status" [ "$status" = 0 -a ! -s err ]
said "-S: the entry" '^on_work, at target!work: at most [0-9]+ instructions and 0 bytes of stack$'
said "-S: a line of the source" '^wild.c:15  st->at\[3\] = 1;$'
said "-S: its code" '^ +[0-9a-f]+  mov qword \[rsi\+24\], 1$'
said "-S: a guard's comparison" '^  guard +[0-9a-f]+  (cmp rax, 15|cmp rax, 16)$'
said "-S: its branch, and what for" '^  guard +[0-9a-f]+  jae? 0x[0-9a-f]+ +; (load|store) of 8 bytes: load of 8 bytes at state\+\[0, 2\^64-8\]; state has 128 bytes$'
said "-S: a divisor" '^  guard +[0-9a-f]+  je 0x[0-9a-f]+ +; division: the divisor is any number; it must not be zero$'
said "-S: fuel" '^  fuel +[0-9a-f]+  jb 0x[0-9a-f]+ +; loop: at most 4096 rounds: a run of on_work may take more than '
for stop in '7 are counted: an access outside of what the probe may reach' '14 are counted: a division by zero' \
	'13 are counted: a loop that goes round too often'; do
	said "-S: a stop" "^  stop +[0-9a-f]+  .* ; runs stopped at wild.c:$stop$"
done
check "-S: no colours in a file" bash -c '! grep -q "$(printf "\033")" out'
check "-S: nothing that a terminal would act on" [ "$(tr -d '\n\t -~' <out | wc -c)" = 0 ]
check "-S: the module as well" cmp wild.ward <("$ward" cc wild.c -o again.ward 2>/dev/null && cat again.ward)
script -qec "'$ward' cc -S wild.c -o wild.ward" /dev/null >out </dev/null
said "-S: colours on a terminal" $'\033\\[33m  guard'
script -qec "NO_COLOR=1 '$ward' cc -S wild.c -o wild.ward" /dev/null >out </dev/null
check "-S: NO_COLOR" bash -c '! grep -q "$(printf "\033")" out'
run cc -S --guards never wild.c -o none.ward
check "-S: nothing of what is rejected" [ "$status" = 1 -a ! -s out ]

# Every instruction stands there once, and every one that counts stopped runs is marked, also where all is guarded.
# Several stops may share the code that counts, and of guards that can't fail LLVM leaves nothing.
for example in "$here"/../../probes/*.c; do
	run cc -S --guards always "$example" -o always.ward
	cp out listing
	name=$(basename "$example")
	check "-S, $name: as many instructions as objdump knows" \
		[ "$(grep -cE '^  (guard|fuel|stop|     ) +[0-9a-f]+  ' listing)" = \
		"$(objdump -d --no-show-raw-insn always.ward | grep -E '^ +[0-9a-f]+:' | grep -vcE $'\t(int3|cc)$')" ]
	run info --json always.ward
	counted=$(jq -r 'select(.type == "guard") | "\(.file):\(.line) \(.reason)"' out | sort -u)
	listed=$(sed -nE 's/.* ; runs stopped at (.*) are counted: (.*)/\1 \2/p' listing | sort -u)
	check "-S, $name: no stop that there isn't" [ -z "$(comm -13 <(echo "$counted") <(echo "$listed"))" ]
	# The counters are the state's last words.
	read -r state guards <<<"$(jq -r 'select(.type == "module") | "\(.state_bytes) \(.guards)"' out)"
	counting=$(sed -nE 's/^  (.....) +[0-9a-f]+  (inc|add) qword \[.*\+([0-9]+)\].*/\3 \1/p' listing |
		awk -v from=$((state - 8 * guards)) '$1 >= from { print $2 ? $2 : "plain" }')
	check "-S, $name: what counts stopped runs is marked" [ -n "$counting" -a -z \
		"$(grep -v '^stop$' <<<"$counting")" ]
	check "-S, $name: so is what leads there" [ "$(grep -cE '^  (guard|fuel) .* ; ' listing)" -ge \
		"$(grep -cE '; runs stopped at ' listing)" ]
done

# Debuggers: every line of the probe that has code is found, before and behind guards; variables have places; the
# source is shown.
follows() { # what it is, module
	local line
	gdb -nx -batch -ex 'info line on_work' -ex 'info line wild.c:14' -ex 'info line wild.c:15' -ex \
		'info scope on_work' -ex 'list on_work' -ex 'disassemble /s on_work' "$2" >out 2>err
	for line in 14 15; do
		said "$1: gdb, line $line" "^Line $line of \"[^\"]*/wild.c\" starts at address 0x[0-9a-f]+ <on_work"
	done
	said "$1: gdb, the event" '^Symbol ev is '
	said "$1: gdb, the state" '^Symbol st is '
	said "$1: gdb, list" $'^15\tst->at|^15\t\tst->at\\[3\\] = 1;$'
	for line in 7 12 14 15; do
		said "$1: gdb, disassemble, line $line" "^$line"$'\t'
	done
	objdump -dS "$2" >out 2>err
	said "$1: objdump" 'st->at\[3\] = 1;'
	check "$1: objdump complains of nothing" [ ! -s err ]
	llvm-dwarfdump-19 --verify "$2" >out 2>err
	check "$1: the debug information is well-formed" grep -q '^No errors' out
}
follows "guarded by need" wild.ward
run cc --guards always wild.c -o always.ward
follows "all guarded" always.ward
sed 's/bump(st, ev->arg\[0\])/bump(st, ev->arg[0] \& 15)/; s/i < ev->arg\[1\]/i < (ev->arg[1] \& 63)/; s/arg\[3\];/arg[3] + 1;/; s,/ ev->arg\[3\] + 1,/ (ev->arg[3] | 1),' wild.c >proven.c
mkdir plain
mv proven.c plain/wild.c
run cc --guards never plain/wild.c -o proven.ward
check "without a guard: status" [ "$status" = 0 ]
follows "without a guard" proven.ward
# Constants that have become one, as they hold addresses, keep their names, types and places each (but for arrays of
# strings alone, of which LLVM makes others); what holds none is where it was. Static ones of a function, and of two
# files, are told apart.
mkdir tables
cat >tables/names.h <<'C'
struct entry {
	const char *name;
	int v;
};
C
cat >tables/first.c <<'C'
#include <ward/probe.h>
#include "names.h"
struct ward_state {
	unsigned long n;
};
static const char *const names[2][2] = {{"zero", "one"}, {"two", "three"}};
static const struct entry table[] = {{"read", 3}, {"write", -4}, {0, 17}};
static const int plain[] = {10, 20, 30};
unsigned long other(unsigned long i);
WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	static const char *const own[1][2] = {{"a", "b"}};
	const struct entry *e = &table[ev->arg[0] % 3];

	st->n += names[ev->arg[1] & 1][ev->arg[2] & 1][0] + plain[ev->arg[2] % 3] + own[0][ev->arg[3] & 1][0] + other(ev->arg[4]);
	if (e->name)
		st->n += e->v + e->name[1];
}
C
cat >tables/second.c <<'C'
#include "names.h"
static const struct entry table[] = {{"four", 44}, {"five", 55}};
unsigned long other(unsigned long i)
{
	return table[i & 1].name[2] + table[i & 1].v;
}
C
run cc tables/first.c tables/second.c -o tables.ward
check "constants: status" [ "$status" = 0 ]
gdb -nx -batch -ex 'whatis names' -ex "print 'first.c'::table[1].v" -ex "print sizeof('first.c'::table)" -ex \
	"print 'second.c'::table[1].v" -ex 'print plain' -ex 'print &table' -ex 'info symbol &names' -ex \
	'print on_work::own' tables.ward >out 2>err
said "constants: a type" '^type = const char \* ?const ?\[2\]\[2\]$'
said "constants: a member" '^\$1 = -4$'
said "constants: a size" '^\$2 = 48$'
said "constants: of the other file" '^\$3 = 55$'
said "constants: one without addresses" '^\$4 = \{10, 20, 30\}$'
said "constants: an address" '^\$5 = .* 0x2[0-9a-f]+ <table>$'
said "constants: a symbol" '^names in section .rodata$'
said "constants: of a function" '^\$6 = \{\{0x[0-9a-f]+'
check "constants: gdb complains of nothing" [ ! -s err ]
nm tables.ward >out
said "constants: nm" '^0*2[0-9a-f]+ r names$'
check "constants: strings have no names" bash -c '! grep -q "\.str" out'
llvm-dwarfdump-19 --verify tables.ward >out 2>err
check "constants: the debug information is well-formed" grep -q '^No errors' out
sed -i '/names\[ev/d; /if (e/,/e->name/d' tables/first.c
run cc tables/first.c tables/second.c -o tables.ward
check "constants: those that nobody reads" [ "$status" = 0 ]
for compiler in gcc clang-19; do
	"$compiler" -O2 -g -mgeneral-regs-only -fcf-protection=none -fno-asynchronous-unwind-tables \
		-I"$here/../../probes/include" -c plain/wild.c -o object.o
	run link object.o -o linked.ward
	check "$compiler, linked: status" [ "$status" = 0 ]
	follows "$compiler, linked" linked.ward
done

# Each instruction of a guard belongs to the line that it guards: what the listing says is what gdb says.
"$ward" cc -S wild.c -o wild.ward >listing
while read -r pc; do
	gdb -nx -batch -ex "info line *0x$pc" wild.ward >out 2>err
	said "the guard at $pc has a line" '^Line (7|12|13|14) of '
done < <(awk '$1 == "guard" { print $2 }' listing)
summary
