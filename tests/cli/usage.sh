#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad usage: exit status 2, one error, one hint. And help.
. "$(dirname "$0")/lib.sh"

cp "$here/work.c" "$tmp/probe.c"
: >"$tmp/empty.ward"

refused 2 'no command'
refused 2 "'frobnicate'" frobnicate
refused 2 "'frobnicate'" help frobnicate
refused 2 'no process' detach
refused 3 'no process is called so' detach -p /nobody
refused 2 'no arguments' detach -p $$ more
for command in cc link info list trace query cluster detach; do
	refused 2 "unknown option '--frobnicate'" "$command" --frobnicate
	refused 2 "unknown option '-x'" "$command" -x
done
refused 2 'no source' cc
refused 2 'not a C source' cc a.o
refused 2 'needs a value' cc "$tmp/probe.c" -o
refused 2 'both input and output' cc "$tmp/probe.c" -o "$tmp/probe.c"
refused 2 'neither user nor kernel' cc --profile toaster "$tmp/probe.c"
refused 2 'not a number' cc --max-insns many "$tmp/probe.c"
refused 2 'not a number' cc --max-insns 0 "$tmp/probe.c"
refused 2 'not a number' cc --rounds 0 "$tmp/probe.c"
refused 2 'not a number' trace -p 1 --rounds many "$tmp/probe.c"
refused 2 'is a module' trace -p 1 --rounds 5 "$tmp/probe.ward"
refused 2 'not a number' cc --max-stack 4097 "$tmp/probe.c"
refused 2 'not a number' cc --max-stack -1 "$tmp/probe.c"
refused 2 'no such import or feature' cc --allow everything "$tmp/probe.c"
refused 2 'no such import or feature' trace --allow '' -p $$ "$tmp/probe.c"
refused 2 'no object' link
refused 2 'not a number' link --state 268435457 "$tmp/probe.c"
refused 2 'no module' info
refused 2 'one module' info a b
refused 2 'no target' list
refused 2 'not a number' list -p 0
refused 3 'no process is called so' list -p 12/x
refused 2 'not a number' list -p 99999999999999999999
refused 2 'one pattern' list -p $$ a b
refused 2 'combined with -p PID: the target is the kernel' list --kernel -p $$
refused 2 'one pattern' list --kernel a b
refused 2 "isn't a function of the kernel" list --kernel 'libc.so.6!read'
refused 2 "isn't a function of the kernel" list --kernel 'kernel!'
refused 2 "isn't a tracepoint of the kernel" list --kernel 'kernel:sched'
refused 2 "isn't a tracepoint of the kernel" list --kernel 'kernel:a:b:c'
refused 2 "isn't a tracepoint of the kernel" list --kernel 'kernel::'
refused 2 'only entries and returns' list --kernel 'kernel!vfs_read:throw'
refused 2 'no probe' trace -p $$
refused 2 'no target' trace "$tmp/probe.c"
refused 2 'combined with -p PID, -- COMMAND or --threads' trace --kernel -p 1 "$tmp/probe.c"
refused 2 'combined with -p PID, -- COMMAND or --threads' trace --kernel "$tmp/probe.c" -- true
refused 2 'combined with -p PID, -- COMMAND or --threads' trace --kernel --threads 4 "$tmp/probe.c"
refused 2 'is the only target' trace --kernel --with-kernel "$tmp/probe.c" "$tmp/probe.c"
refused 2 'no target' trace --with-kernel "$tmp/probe.c" "$tmp/probe.c"
refused 2 'no probe' trace --with-kernel "$tmp/probe.c" -- true
refused 2 'it exists already' trace --with-kernel "$tmp/empty.ward" --ctf "$tmp" -p $$ "$tmp/empty.ward"
refused 2 'No such file' trace --with-kernel "$tmp/empty.ward" --ctf "$tmp/none/ctf" -p $$ "$tmp/empty.ward"
refused 2 'File name too long' trace --with-kernel "$tmp/empty.ward" --ctf "$(printf '%04095d' 0)" -p $$ \
	"$tmp/empty.ward"
refused 2 'not a module' trace --with-kernel "$tmp/empty.ward" --ctf "$tmp/ctf" -p $$ "$tmp/empty.ward"
check "it leaves no directory" [ ! -e "$tmp/ctf" ]
refused 2 'is given twice' trace --with-kernel "$tmp/probe.c" --with-kernel "$tmp/empty.ward" -p $$ "$tmp/probe.c"
refused 2 'are for sources' trace -U A --with-kernel "$tmp/empty.ward" "$tmp/empty.ward" -- true
refused 2 'No such file' trace --with-kernel "$tmp/none.ward" "$tmp/probe.c" -- true
refused 2 'No such file' trace --with-kernel "$tmp/none.c" "$tmp/probe.c" -- true
refused 2 'not both' trace -p $$ "$tmp/probe.c" -- true
refused 2 'no command after' trace "$tmp/probe.c" --
refused 2 'one probe' trace "$tmp/probe.c" "$tmp/probe.c" -- true
refused 2 'either -q or -v' trace -q -v "$tmp/probe.c" -- true
refused 2 'is given twice' trace -p 1 -p $$ "$tmp/probe.c"
refused 2 'positive number' trace -d 0 -p $$ "$tmp/probe.c"
refused 2 'positive number' trace -d nan -p $$ "$tmp/probe.c"
refused 2 'positive number' trace -d -3 -p $$ "$tmp/probe.c"
run trace -d 1e18 -p $$ "$tmp/probe.c"
check "a long time is a number of seconds" [ "$(grep -c 'positive number' "$tmp/err")" = 0 ]
refused 2 'are for sources' trace -U A "$tmp/empty.ward" -- true
refused 2 'not a number' trace --threads 0 "$tmp/probe.c" -- true

# Input that can't be read.
refused 2 'No such file' cc "$tmp/none.c"
refused 2 'No such file' link "$tmp/none.o"
refused 2 'No such file' info "$tmp/none.ward"
refused 2 'No such file' trace -p $$ "$tmp/none.ward"
refused 2 'No such file' trace -p $$ "$tmp/none.c"
refused 2 'directory' info "$tmp"
refused 2 'not an ELF file' link "$tmp/probe.c"
refused 2 'not a relocatable object' link "$ward"
refused 2 'No such file' trace -o "$tmp/none/results" "$tmp/probe.c" -- true
if [ "$(id -u)" != 0 ]; then
	chmod 000 "$tmp/empty.ward"
	refused 2 'Permission denied' info "$tmp/empty.ward"
fi

# Each command explains itself, with an example, and fits a terminal.
run --version
check "version" grep -qE '^ward [0-9]+\.[0-9]+' "$tmp/out"
run --help
check "help: status" [ "$status" = 0 ]
for command in cc link info list trace query cluster detach; do
	check "help lists $command" grep -q "^  $command " "$tmp/out"
done
for command in cc link info list trace query cluster detach; do
	run "$command" --help
	cp "$tmp/out" "$tmp/help"
	check "$command --help: status" [ "$status" = 0 ]
	check "$command --help: usage" grep -q "^usage: ward $command " "$tmp/help"
	check "$command --help: example" grep -q '^example: ' "$tmp/help"
	check "$command --help: lines of at most 110 columns" awk 'length > 110 { exit 1 }' "$tmp/help"
	run help "$command"
	check "help $command is $command --help" cmp -s "$tmp/out" "$tmp/help"
done
summary
