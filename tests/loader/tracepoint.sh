#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tracepoint.sh HEADERS COMPILER…: what a tracepoint costs that nobody looks at is one instruction, a nop. Compilers
# are given with their flags, each as one word.
set -eu
headers=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/f.c" <<'SOURCE'
#include "ward/tracepoint.h"
#ifdef WITHOUT
#undef WARD_TRACEPOINT
#define WARD_TRACEPOINT(...) ((void)0)
#endif
extern int table[64];
int plain(int a)
{
	WARD_TRACEPOINT(test, plain);
	return a + 1;
}
unsigned long arguments(long a, unsigned b, const char *c, signed char d)
{
	WARD_TRACEPOINT(test, arguments, a, b, c, d, 17);
	return (unsigned long)a + b + (unsigned long)c;
}
int loop(const int *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		WARD_TRACEPOINT(test, loop, sum, i, p);
		sum = sum * 31 + p[i];
	}
	return sum;
}
int leaf(int a, int b)
{
	int c = table[a] * b;

	WARD_TRACEPOINT(test, leaf, c, a);
	return c ^ b;
}
SOURCE

# instructions FLAGS FUNCTION
count() {
	objdump -d --no-show-raw-insn "$dir/$1.o" | sed -n "/<[^>]*$2[^>]*>:\$/,/^\$/p" | sed '/:$/d; /^$/d' |
		grep -cv "nop[wl].*cs:\|xchg *%ax,%ax\|nopw\|nopl *0x0(%rax)\$\|nop\$" || true
}

failed=0
for compiler in "$@"; do
	$compiler -O2 -fno-tree-vectorize -I"$headers" -c "$dir/f.c" -o "$dir/with.o"
	$compiler -O2 -fno-tree-vectorize -DWITHOUT -I"$headers" -c "$dir/f.c" -o "$dir/without.o"
	for f in plain arguments leaf; do
		with=$(count with $f)
		without=$(count without $f)
		if [ "$with" != $((without + 1)) ]; then
			echo "$compiler: $f has $with instructions with its tracepoint and $without without" >&2
			failed=1
		fi
	done
	# GNU's reader of notes is one of the other tools that are to understand them
	for f in plain arguments loop leaf; do
		if ! readelf -n "$dir/with.o" | grep -q "Name: $f\$"; then
			echo "$compiler: no note of $f" >&2
			failed=1
		fi
	done
done
exit $failed
