#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ward list: of a process, of a file, and of a command that it starts.
. "$(dirname "$0")/lib.sh"

cxx=$(ldd "$targets/named/long" | sed -n 's/.*=> \(.*libstdc[+][+][.]so[.]6\).*/\1/p')
# What is said of sites, without addresses, in one order.
said() { jq -c 'del(.address)' "$1" | sed 's/[.]so[.]6[.0-9]*/.so.6/g' | LC_ALL=C sort; }
same() { cmp -s <(said "$1") <(said "$2"); }
site() { jq -e -s --arg site "$1" ".[] | select(.site == \$site) | $2" "$tmp/out" >/dev/null; }

# A process, its file, and the command: the same sites, functions and why not.
start_loop "$targets/target"
run list --json -p "$pid" 'target!*'
cp "$tmp/out" "$tmp/process"
end_loop "list -p"
run list --json "$targets/target" 'target!*'
check "file: status" [ "$status" = 0 ]
cp "$tmp/out" "$tmp/file"
run list --json 'target!*' -- "$targets/target" loop
check "command: status" [ "$status" = 0 ]
check "there are sites" [ "$(wc -l <"$tmp/process")" -gt 5 ]
check "the file's sites are the process's" same "$tmp/process" "$tmp/file"
check "the command's sites are the process's" same "$tmp/process" "$tmp/out"
run list --json -f 'target!work' "$targets/target"
check "-f: one" [ "$(wc -l <"$tmp/out")" = 1 ]
check "an address is the file's own" site 'target!work' ".address == \"0x$(nm "$targets/target" | sed -n 's/^0*\([0-9a-f]*\) [Tt] work$/\1/p')\""
ln -s "$targets/target" "$tmp/other"
run list "$tmp/other"
check "without a pattern: all" [ "$(lines 'target!work ' "$tmp/out")" = 1 ]

# A library: functions and tracepoints. The command shows those of its libraries.
run list --json "$cxx" '*!:*:*'
check "tracepoints of a file" [ "$(jq -s 'map(select(.arguments and .method)) | length' "$tmp/out")" -gt 2 ]
cp "$tmp/out" "$tmp/file"
run list --json 'libstdc++.so.6!:*:*' -- "$targets/named/long"
check "tracepoints of a command's library" same "$tmp/file" "$tmp/out"
run list 'libc!malloc' -- "$targets/target"
check "a command's library" grep -q '^libc[.]so[.]6!malloc  *0x7[0-9a-f]* .* jump' "$tmp/out"

# One address, one line: the name that people write, and the others beside it.
for library in named named-s; do
	run list --json "$targets/$library/libversions.so" '*!*shut*'
	check "$library: aliases: one site" [ "$(wc -l <"$tmp/out")" = 1 ]
	check "$library: aliases: the others" site 'libversions.so!shut' \
		'.version == "VER_1" and .aliases == ["shut64", "shut_it", "shut_door", "_shut", "__shut"]'
	run list --json "$targets/$library/libversions.so" '*!_shut'
	check "$library: an alias by its name" site 'libversions.so!_shut' '.aliases[0] == "shut" and (.aliases | length) == 5'
	run list "$targets/$library/libversions.so" '*!shut'
	check "$library: a few in a table" grep -qE \
		'^libversions[.]so!shut +0x[0-9a-f]+ +VER_1 +jump; also shut64, shut_it, shut_door and 2 more$' "$tmp/out"
	run list -v "$targets/$library/libversions.so" '*!shut'
	check "$library: -v: all in a table" grep -qE 'jump( \(int x\))?; also shut64, shut_it, shut_door, _shut, __shut$' "$tmp/out"
	run list --json "$targets/$library/libversions.so" '*!api'
	check "$library: the default version" site 'libversions.so!api' '.version == "VER_2" and ((.aliases // []) - ["api_2"] == [])'
	check "$library: an old version" site 'libversions.so!api@VER_1' '.version == "VER_1"'
done
run list "$targets/target" 'target!work'
check "without versions there is no column of them" grep -qE '^SITE +ADDRESS +METHOD$' "$tmp/out"

# The command doesn't run, not even one without a C library or a thread pointer, and it is gone afterwards.
run list '*!*malloc' -- sh -c "echo >'$tmp/ran'"
check "it isn't run: status" [ "$status" = 0 ]
check "it isn't run" [ ! -e "$tmp/ran" ]
run list 'bare!*' -- "$targets/bare"
check "a command without a C library" [ "$status" = 0 ]
check "nothing is left of it" [ -z "$(for exe in /proc/[0-9]*/exe; do readlink "$exe"; done | grep -Fx "$(readlink -f "$targets/bare")")" ]
refused 2 'command not found' list -- "$tmp/nothing"
refused 2 "can't run it" list -- "$tmp"
refused 3 'there is no module .nothing.' list 'nothing!*' -- "$targets/target"

# Files that are none, and usage.
refused 2 "can't open it: No such file" list "$tmp/nothing"
: >"$tmp/empty"
head -c 100 "$targets/target" >"$tmp/short"
mkfifo "$tmp/fifo"
for file in "$tmp" "$tmp/empty" "$tmp/short" "$tmp/fifo" "$here/list.sh"; do
	refused 2 "isn't a program or library" list "$file"
done
# Each header's field in turn has all bits set: a file that lies is listed as far as it is true, or refused.
for at in 24 32 40 52 54 56 58 60 $(seq 64 8 400); do
	cp "$targets/target" "$tmp/broken"
	printf '\377\377\377\377\377\377\377\377' | dd of="$tmp/broken" bs=1 seek="$at" conv=notrunc status=none
	run list "$tmp/broken"
	[ "$status" -le 3 ] || fail "a broken file, at $at: status $status"
done
pass
refused 3 'there is no module .libc.' list "$targets/target" 'libc!read'
refused 3 'no function matches .nothing.' list "$targets/target" 'target!nothing'
refused 2 'no target' list
refused 2 'no target' list 'libc!open*'
refused 2 'no command after' list --
refused 2 'not both' list -p $$ -- true
refused 2 'not both' list --kernel -- true
refused 2 'one pattern' list a 'b!*' 'c!*'
refused 2 'one pattern' list -f 'b!*' a 'c!*'
refused 2 'one pattern' list -f 'b!*' -f 'c!*' a
refused 2 'one pattern' list 'b!*' 'c!*' -- true

summary
