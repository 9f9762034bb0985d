#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Probes in the kernel: its types, as clang tells of a made-up kernel's, in which everything is that makes structures
# hard to say again.
. "$(dirname "$0")/lib.sh"
cd "$tmp"

cat >types.h <<'END'
struct inode;
typedef unsigned int u32;
typedef struct { int counter; } atomic_t;
typedef long (*handler_t)(struct inode *, int);
enum kind { LEAST = -1, MOST = 7 };
enum wide { HUGE = 1ll << 40 };
struct name { union { struct { u32 hash, len; }; unsigned long both; }; const unsigned char *name; };
struct inode { char pad[24]; unsigned long i_ino; };
struct odd { char c; long l; } __attribute__((packed));
struct far { int x; } __attribute__((aligned(64)));
struct nothing {};
union both { double d; short s[3]; };
struct file {
	char first;
	atomic_t count;
	struct inode *inode;
	const struct name name;
	unsigned bits : 3, more : 9;
	unsigned char behind;
	volatile enum kind kind;
	enum wide wide;
	_Bool flag;
	handler_t handler;
	struct odd odd;
	struct far far;
	long table[2][3];
	int (*rows)[4];
	struct nowhere *nowhere;
	struct nothing nothing;
	union both both;
	struct { short a; struct { char b; }; } inner[2];
	atomic_t *counter;
	unsigned __int128 wide_number;
	char comm[16];
	struct file *next;
	char rest[];
};
END
{
	cat types.h
	echo 'long use(struct file *file, union both *both, struct inode *inode) { return (long)file->next + both->s[0] + inode->i_ino; }'
} >types.c
clang-19 --target=bpf -g -O1 -c types.c -o types.o && llvm-objcopy-19 --dump-section .BTF=types.btf types.o
check "clang tells of types" [ -s types.btf ]

# Each member has the offset that C gives it.
{
	echo '#include <stdio.h>'
	echo '#include <stddef.h>'
	cat types.h
	echo 'int main(void) {'
	for member in count inode name name.hash name.len name.both name.name behind kind wide flag handler odd \
		odd.l far far.x table rows nowhere both both.s inner 'inner[1].b' counter wide_number comm next rest; do
		echo "printf(\"_Static_assert(__builtin_offsetof(struct file, $member) == %zu && sizeof(((struct file *)0)->$member) == %zu, \\\"$member\\\");\\n\", offsetof(struct file, $member), sizeof(((struct file *)0)->$member) );"
	done | sed 's/, sizeof(((struct file \*)0)->rest) )/, (size_t)0)/'
	echo '}'
} >offsets.c
gcc offsets.c -o offsets 2>err && ./offsets >offsets.h
check "gcc knows where they are" [ "$(wc -l <offsets.h)" = 28 ]
probe() { # expression
	cat <<END
#include <ward/kernel.h>
#include <ward/probe.h>
#include "offsets.h"
struct ward_state {
	ward_count sum;
};
WARD_ENTRY("kernel!vfs_read")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	const struct file *file = WARD_ARG(struct file *, 0);
	$1
}
END
}
probe 'st->sum += WARD_GET(file, inode, i_ino) + (unsigned long)WARD_GET(file, next, next, next, count.counter) + WARD_GET(file, name.hash) + WARD_GET(file, flag) + (WARD_GET(file, kind) < 0) + WARD_GET(file, inner[1].b) + (unsigned long)WARD_GET(file, handler) + (unsigned long)WARD_GET(file, counter);' >good.c
run cc --profile kernel --btf types.btf good.c -o good.ward
check "a probe reads members" [ "$status" = 0 -a ! -s err ]
run info good.ward
check "by the kernel's import" grep -q 'calls      ward_kernel_read$' out
check "without a guard" grep -q 'guards     0 places' out
(mkdir -p elsewhere && cd elsewhere && "$ward" cc --profile kernel --btf ../types.btf ../good.c -o ../again.ward)
check "the same bytes again" cmp good.ward again.ward
cat >plain.c <<'END'
#include <ward/kernel.h>
END
probe 'st->sum += (unsigned long)WARD_GET(file, inode);' >main.c
run cc --profile kernel --btf types.btf plain.c main.c -o two.ward
check "of two files" [ "$status" = 0 ]

refused() { # expression, words of clang's
	probe "$1" >bad.c
	run cc --profile kernel --btf types.btf bad.c -o bad.ward
	check "$1: $2" [ "$status" = 1 ]
	check "$1: $2" grep -q "^bad.c:11:.*$2" err
	check "nothing is written" [ ! -e bad.ward ]
}
refused 'st->sum += WARD_GET(file, inod);' "no member named 'inod' in 'struct file'"
refused 'st->sum += WARD_GET(file, inode, i_no);' "no member named 'i_no' in 'struct inode'"
refused 'st->sum += (unsigned long)WARD_GET(file, comm);' 'this is an array: read it with ward_kernel_read'
refused 'WARD_GET(file, bits);' "this is a bit field, or empty, and can't be read"
refused 'WARD_GET(file, nothing);' "this is a bit field, or empty, and can't be read"
refused 'st->sum += WARD_GET(file, nowhere, x);' "incomplete definition of type 'struct nowhere'"
refused 'st->sum += WARD_GET(file, handler, x);' "is not a structure or union"

error() { # status, words, then arguments
	local expected=$1 words=$2
	shift 2
	run "$@"
	check "$words: exit status" [ "$status" = "$expected" ]
	check "$words" grep -q -e "$words" err
	check "$words: one line, and a hint" [ "$(wc -l <err)" = 2 ]
	check "$words: the hint" grep -q '^hint: ' err
}
head -c 100 types.btf >cut.btf
error 2 'cut.btf: it contains no types (BTF)$' cc --profile kernel --btf cut.btf good.c -o bad.ward
error 2 'good.c: it contains no types (BTF)$' cc --profile kernel --btf good.c good.c -o bad.ward
error 2 '/dev/zero: it contains no types (BTF)$' cc --profile kernel --btf /dev/zero good.c -o bad.ward
error 2 '/: it contains no types (BTF)$' cc --profile kernel --btf / good.c -o bad.ward
error 2 'absent.btf: No such file or directory$' cc --profile kernel --btf absent.btf good.c -o bad.ward
error 2 '--btf needs --profile kernel$' cc --btf types.btf good.c -o bad.ward
check "nothing is written" [ ! -e bad.ward ]

# A module of the kernel's has types of its own, which go on from the kernel's in numbers and names. Both are written
# word by word here: struct inode { int number; }, and struct node { struct inode *inode; int number; }.
words() { # number...
	local w
	for w; do printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((w & 255)) $((w >> 8 & 255)) $((w >> 16 & 255)) $((w >> 24 & 255)))"; done
}
put_types() { # names, number...
	local names=$1 length
	shift
	length=$(printf "$names" | wc -c)
	words 0x0001eb9f 24 0 $(($# * 4)) $(($# * 4)) "$length" "$@"
	printf "$names"
}
mkdir types
put_types '\0int\0inode\0number\0' 1 0x01000000 4 0x01000020 5 0x04000001 8 11 1 0 >types/vmlinux
put_types '\0node\0inode\0' 0 0x02000000 2 19 0x04000002 16 24 3 0 11 1 64 >types/nodes
put_types '\0node\0inode\0' 19 0x04000001 4 11 1 0 24 0x04000001 4 11 1 0 >types/8021q
of_module() { # lines, expression
	cat <<END
#include <ward/kernel.h>
#include <ward/probe.h>
$1
struct ward_state { long sum; };
WARD_ENTRY("kernel!vfs_read")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->sum += $2;
}
END
}
of_node='WARD_GET(WARD_ARG(struct node *, 0), inode, number) + WARD_GET(WARD_ARG(struct node *, 0), number)'
compiles() { # what, files...
	rm -f module.ward
	run cc --profile kernel --btf types/vmlinux "${@:2}" -o module.ward
	check "$1" [ "$status" = 0 -a ! -s err -a -e module.ward ]
}
of_module 'WARD_KERNEL_MODULE(nodes);' "$of_node" >node.c
compiles "a module's structure" node.c
mv module.ward first.ward
(cd types && "$ward" cc --profile kernel --btf vmlinux ../node.c -o ../module.ward)
check "of the folder that one is in" cmp first.ward module.ward
of_module $'WARD_KERNEL_MODULE\t( nodes\n) ; WARD_KERNEL_MODULE(nodes); WARD_KERNEL_MODULE(8021q);' \
	"$of_node + WARD_GET(WARD_ARG(struct node___2 *, 1), number) + WARD_GET(WARD_ARG(struct inode___2 *, 1), number)" >node.c
compiles "of two modules" node.c
printf '%s\n' '#include <ward/kernel.h>' 'WARD_KERNEL_MODULE(nodes);' >plain.c
of_module '' "$of_node" >node.c
compiles "another file asks for it" node.c plain.c
of_module $'// WARD_KERNEL_MODULE(absent);\n/* WARD_KERNEL_MODULE(absent); "*/ WARD_KERNEL_MODULE(nodes); // \\\nWARD_KERNEL_MODULE(absent)\n#define NOT_WARD_KERNEL_MODULE(x)\nNOT_WARD_KERNEL_MODULE(absent)' "$of_node" >node.c
run cc --profile kernel --btf types/vmlinux node.c -o module.ward
check "what isn't asked for" [ "$status" = 0 ]
of_module $'static const char slashes[] __attribute__((unused)) = "\\"//", quote __attribute__((unused)) = \'"\'; WARD_KERNEL_MODULE(nodes);' "$of_node" >node.c
compiles "behind a string" node.c
module_refused() { # line, words, hint
	of_module "$1" 0 >bad.c
	error 2 "$2" cc --profile kernel --btf types/vmlinux bad.c -o bad.ward
	check "$2: the way out" grep -q -- "^hint: .*$3" err
}
module_refused 'WARD_KERNEL_MODULE(absent);' '^ward: types/absent: No such file or directory$' \
	"put a copy of the traced kernel's /sys/kernel/btf/absent there; if it is built into that kernel, leave WARD_KERNEL_MODULE(absent) out"
module_refused 'WARD_KERNEL_MODULE(snd-hda);' '^ward: bad.c: WARD_KERNEL_MODULE(snd-hda): no module of the kernel can have such a name$' 'letters, digits and _'
module_refused 'WARD_KERNEL_MODULE("nodes");' '^ward: bad.c: WARD_KERNEL_MODULE("nodes"): no module' \
	'letters, digits and _'
module_refused 'WARD_KERNEL_MODULE(../nodes);' '^ward: bad.c: WARD_KERNEL_MODULE(../nodes): no module' \
	'letters, digits and _'
module_refused 'WARD_KERNEL_MODULE();' '^ward: bad.c: WARD_KERNEL_MODULE(): no module' 'letters, digits and _'
module_refused 'WARD_KERNEL_MODULE(' '^ward: bad.c: WARD_KERNEL_MODULE(struct ward_state .*: no module' \
	'letters, digits and _'
module_refused 'WARD_KERNEL_MODULE(vmlinux);' '^ward: vmlinux: no module of the kernel can have such a name$' \
	'letters, digits and _'
module_refused "WARD_KERNEL_MODULE($(printf 'x%.0s' {1..64}));" '^ward: bad.c: WARD_KERNEL_MODULE(x*): no module' \
	'letters, digits and _'
module_refused "$(printf 'WARD_KERNEL_MODULE(m%d);\n' {1..17})" \
	'^ward: bad.c: WARD_KERNEL_MODULE names more than 16 modules$' 'leave out'
head -c 30 types/nodes >types/cut
module_refused 'WARD_KERNEL_MODULE(cut);' '^ward: types/cut: it contains no types (BTF)$' "beside the kernel's"
echo 'WARD_KERNEL_MODULE(nodes);' >asks.h
of_module '#include "asks.h"' 0 >bad.c
run cc --profile kernel --btf types/vmlinux bad.c -o bad.ward
check "what a header asks for" [ "$status" = 1 ]
check "is said" grep -q "^./asks.h:1:1: error: .*: the types of this module aren't there: WARD_KERNEL_MODULE(name) must stand in the probe's own file" err
of_module '' "$of_node" >bad.c
run cc --profile kernel --btf types/vmlinux bad.c -o bad.ward
check "nobody asks for it" [ "$status" = 1 ]
check "the way out" grep -q "hint: the kernel itself tells of no members: those of a module's structure are there with WARD_KERNEL_MODULE(NAME)" err
printf '%s\n' '#include <ward/probe.h>' 'WARD_KERNEL_MODULE(nodes);' >bad.c
run cc --profile kernel --btf types/vmlinux bad.c -o bad.ward
check "without ward/kernel.h" grep -q 'hint: #include <ward/kernel.h>, which declares WARD_KERNEL_MODULE' err
check "nothing is written" [ ! -e bad.ward ]

# What the kernel doesn't take is said where it is written, not where it is attached.
cat >shared.c <<'C'
#include <ward/probe.h>
struct ward_state { ward_count n; };
static const unsigned long least = 3;
static unsigned long seen;
WARD_ENTRY("kernel!vfs_read")
void on_read(const struct ward_event *ev, struct ward_state *st) { if (ev->arg[0] > least) st->n += ++seen; }
C
run cc --profile kernel shared.c -o bad.ward
check "a variable that is written to" [ "$status" = 1 ]
check "where it is" grep -q "^shared.c:4:22: error: 'seen' is written to, and the kernel has no place for a probe's variables$" err
check "and no other" [ "$(grep -c error: err)" = 1 ]
run cc shared.c -o user.ward
check "a process has a place for it" [ "$status" = 0 ]
cat >long.c <<'C'
#include <ward/probe.h>
struct ward_state { unsigned long n; };
WARD_ENTRY("kernel!vfs_read")
void on_read(const struct ward_event *ev, struct ward_state *st) { WARD_BOUND(80000) for (unsigned long x = ev->arg[0]; x != 1; x = x & 1 ? 3 * x + 1 : x / 2) st->n++; }
C
run cc --profile kernel long.c -o bad.ward
check "more than a run in the kernel may take" grep -q 'the limit is 262144.*V-63' err
run cc --profile kernel --max-insns 1000000 long.c -o long.ward
check "unless it is allowed to" [ "$status" = 0 ]

run cc good.c -o bad.ward
check "a process has no types of the kernel's" [ "$status" = 1 ]
check "that is said" grep -q "error: the kernel's types aren't there" err
check "and nothing else" [ "$(grep -c error: err)" = 1 ]

printf '%s\n' '#include <ward/probe.h>' 'struct ward_state { unsigned long n; };' \
	'WARD_ENTRY("libc.so.6!read") void on_read(const struct ward_event *ev, struct ward_state *st) { st->n += ev->tid; }' >process.c
sed 's/libc.so.6!/kernel!/' process.c >kernels.c
run cc --profile kernel process.c -o bad.ward
check "a site of a process's, for the kernel" grep -q "process.c:3:.* warning: the site 'libc.so.6!read' of 'on_read' is a process's, and the module is for the kernel" err
run cc --profile kernel kernels.c -o bad.ward
check "one of the kernel's" [ "$status" = 0 ]
check "isn't warned of" sh -c '! grep -q warning: err'

# What an author takes for granted in the kernel.
mistaken() { # the statement, what is said, and what before the function
	printf '%s\n' '#include <ward/kernel.h>' '#include <ward/probe.h>' 'struct ward_state { unsigned long n; };' \
		"${3:-}" 'WARD_ENTRY("kernel!vfs_read")' \
		"void on_read(const struct ward_event *ev, struct ward_state *st) { struct file *f = WARD_ARG(struct file *, 0); (void)f; $1; }" >mistaken.c
	run cc --profile kernel --btf types.btf mistaken.c -o bad.ward
	check "mistaken: $1" [ "$status" = 1 ]
	check "mistaken: $1: $2" grep -q "$2" err
}
mistaken 'st->n += WARD_GET(f, next, next, next, next, inode, i_ino)' 'error: .*WARD_GET follows at most four members'
check "and no more" [ "$(grep -c error: err)" = 1 ]
mistaken 'st->n += WARD_GET(f)' 'error: .*WARD_GET wants a pointer and a member'
mistaken 'struct file copy = {0}; if (copy.bits == 4) st->n++' '^hint: this member is a bit field, which has no address'
mistaken 'umode_t mode = 0' '^hint: the kernel.s typedefs, enumerations and macros have no names here'
mistaken 'st->n += PAGE_SIZE' '^hint: the kernel.s typedefs, enumerations and macros have no names here'
mistaken 'enum kind k = 0' '^hint: the kernel.s typedefs, enumerations and macros have no names here'
mistaken 'st->n += bpf_get_current_task()' '^hint: ev->tid is the running thread.s number; in the kernel ward_kernel_current'
mistaken 'st->n += helper(ev)' '^hint: WARD_ARG is of the event that is called `ev`' \
	'static unsigned long helper(const struct ward_event *e) { return WARD_ARG(unsigned long, 0); }'
mistaken 'ward_read(&st->n, 8, ev->arg[0])' "error: 'ward_read' is not for probes in the kernel"
check "and what is" grep -q '^hint: ward_kernel_read, ward_kernel_read_str, and WARD_GET' err
mistaken 'st->n += ward_clock(1)' "error: 'ward_clock' is not for probes in the kernel"
mistaken 'char room[100000]; ward_kernel_read(room, sizeof room, ev->arg[0]); st->n += room[ev->arg[1] % 100000]' \
	'a run of on_read may take [0-9]* instructions; the limit is 262144'
mistaken 'char room[800]; ward_kernel_read(room, sizeof room, ev->arg[0]); st->n += room[ev->arg[1] % 256]' \
	'^hint: use smaller local arrays, put what is large into the state'
mistaken '(void)st' '^hint: the kernel has a structure of that name, which <ward/kernel.h> brings along: choose another' 'struct inode { int x; };'
summary
