#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The libraries export the functions of their headers, each with a version, and nothing else; ward uses nothing of the
# loader but those; there is no global state.
# Usage: symbols.sh SOURCE BUILD CC SANITIZED
set -u
source=$1 build=$2 cc=$3 sanitized=$4
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

ok() { # STATUS WHAT: the status first, for $? is that of a command in what is said before it
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $2"
	fi
}

# The functions that a header declares, without those of the headers that it includes.
declared() {
	grep -v '^#' "$1" | "$cc" -fpreprocessed -E -P - | tr '\n' ' ' | tr ';' '\n' | grep -v typedef |
		grep -o '\bward_[a-z0-9_]*(' | tr -d '(' | sort -u
}

{
	declared "$source/loader/include/ward/ward.h"
	declared "$source/loader/include/ward/partial.h"
	declared "$source/loader/include/ward/types.h"
} | sort -u >"$tmp/ward"
declared "$source/verifier/include/ward/verify.h" >"$tmp/ward-verify"
[ "$(wc -l <"$tmp/ward")" -ge 28 ] && [ "$(wc -l <"$tmp/ward-verify")" -ge 10 ]
ok $? "the headers' functions were found"

for name in ward ward-verify; do
	node=$(echo "$name" | tr a-z- A-Z_)_0.1
	nm -D --defined-only "$build/lib/lib$name.so" >"$tmp/dynamic"
	awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' "$tmp/dynamic" | sort >"$tmp/exported"
	diff "$tmp/$name" "$tmp/exported"
	ok $? "lib$name.so exports what its header declares"
	! grep -v "@@$node\$\| A $node" "$tmp/dynamic"
	ok $? "each symbol of lib$name.so has a version"
	awk -v lib="lib$name.so.1" '/^lib/ {of = $1} of == lib && /^ ward_/ {sub(/@.*/, "", $1); print $1}' \
		"$source/debian/libward1.symbols" | sort >"$tmp/packaged"
	diff "$tmp/$name" "$tmp/packaged"
	ok $? "debian/libward1.symbols has what the header of lib$name declares"
	readelf -d "$build/lib/lib$name.so" | grep -q "soname: \[lib$name.so.1\]"
	ok $? "lib$name.so has a number"
	nm --defined-only -g "$build/lib/lib$name.a" | awk 'NF == 3 && $3 !~ /^__(odr_)?asan/ {print $3}' |
		sort >"$tmp/global"
	diff "$tmp/$name" "$tmp/global"
	ok $? "lib$name.a defines what its header declares"
	[ "$sanitized" = ON ] || ! size -A "$build/lib/lib$name.a" |
		awk '$1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $1 !~ /^\.data\.rel\.ro/ && $2' | grep .
	ok $? "lib$name has no global state"
done

# The command line: every symbol of the loader that its objects want is one of the header's, and no other header of
# the loader is included.
find "$build/cli" -name '*.o' -exec nm -u {} + | awk 'NF == 2 {print $2}' | sort -u >"$tmp/wanted"
find "$build/loader/CMakeFiles/ward-lib.dir" -name '*.o' -exec nm --defined-only -g {} + |
	awk 'NF == 3 {print $3}' | sort -u >"$tmp/loader"
comm -12 "$tmp/wanted" "$tmp/loader" >"$tmp/used"
[ "$(wc -l <"$tmp/used")" -ge 20 ] && ! comm -23 "$tmp/used" "$tmp/ward" | grep -v '^__\(odr_\)\?asan'
ok $? "ward uses no symbol of the loader but those of its public headers"
sed -n 's/^#include "\(.*\)"/\1/p' "$source"/cli/*.[ch] | sort -u | while read -r header; do
	case $header in
	ward/ward.h | ward/partial.h | ward/types.h) ;;
	*) ! find "$source/loader" -path "*/$header" | grep . || exit 1 ;;
	esac
done
ok $? "ward includes no header of the loader but the public ones"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
