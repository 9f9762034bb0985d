/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/ward: the interface between libward and ward.ko.
 *
 * An open file is a session. It takes one verified module (LOAD), hooks functions (ATTACH, at least once for each
 * probe of the module), and shows what the probes count: the file can be mapped for reading, with the layout of
 * WARD_MAP_TALLIES and the lines after it. For stacks of processes it takes their unwind tables (ROWS, MAPPED). Closing
 * the file removes everything, however the process ends.
 *
 * Every structure begins with its size, which the caller sets. A kernel module of another version returns E2BIG for a
 * size that it doesn't know. Pointers have 64 bits.
 */
#ifndef WARD_IOCTL_H
#define WARD_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WARD_ABI 10
#define WARD_DEVICE "/dev/ward"

enum {
	WARD_K_PAGE = 4096,
	WARD_K_MAX_IMAGE = 64 * WARD_K_PAGE, /* text and rodata */
	WARD_K_MAX_ENTRIES = 1024,
	WARD_K_MAX_STATE = 1 << 28, /* of all processors together */
	WARD_K_MAX_STACK = 2048,    /* bytes of one run */
	WARD_K_MAX_INSNS = 1 << 20, /* of one run: preemption is off meanwhile */
	WARD_K_MAX_SITES = 1 << 16, /* of one ATTACH */
	WARD_K_MAX_RETURNS = 1024,  /* that are kretprobes, of a session */
	WARD_K_MAX_POINTS = 2048,   /* of a session */
	WARD_K_MAX_SAMPLES = 64,    /* of a session */
	WARD_K_MAX_NAME = 128,      /* of a tracepoint, with the zero behind it */
	WARD_K_TALLY_SIZE = 256,
	WARD_K_EVENT_WORDS = 14,
	WARD_K_MAX_ARGUMENTS = 6, /* that a probe sees */
	WARD_K_MAX_SLOTS = 64,
	WARD_K_MAY_CLOBBER = 0xfc7, /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
};

/* A probe function, as the verifier found it. */
struct ward_k_entry {
	__u32 offset; /* in the image */
	__u32 stack_bytes;
	__u64 max_insns;
	__u32 event_fields; /* bit i: word i of the event is read */
	/* bit i: general register i may be changed, by their numbers in instructions; of WARD_K_MAY_CLOBBER */
	__u32 clobbers;
};

/* What a probe may call, as spec/ward/import.def promises it. */
enum ward_k_import {
	WARD_K_READ = 0,
	WARD_K_READ_STR = 1,
	WARD_K_CURRENT = 2,
	WARD_K_STACK = 3, /* these two only with WARD_K_WITH_STACKS */
	WARD_K_USER_STACK = 4,
	WARD_K_IMPORTS = 5,
};

/*
 * A table of stacks, in the format of libward's (loader/symbols/stack_table.h): this head, buckets, and words that hold
 * the stacks. A kernel address has its highest bit cleared there: that bit says that it is no return address.
 */
struct ward_k_stacks {
	__u64 used; /* words */
	__u64 lost; /* stacks for which there was no room */
	__u64 mark; /* that handles have, beside the place of the stack's first word */
	__u64 pad[5];
};

enum {
	WARD_K_STACK_MOST = 127, /* addresses of one */
	WARD_K_STACKS_BUCKETS = 1 << 16,
	WARD_K_STACKS_WORDS = 1 << 20,
	WARD_K_STACKS_SIZE = WARD_K_PAGE + 8 * (WARD_K_STACKS_BUCKETS + WARD_K_STACKS_WORDS),
};

/* A stack's first word has its number of addresses, and from bit 32 on how it ends. */
enum ward_k_stack_end {
	WARD_K_STACK_WHOLE = 0,
	WARD_K_STACK_CUT = 1,
	WARD_K_STACK_LOST = 2,
	/* flags */
	WARD_K_STACK_BY_RBP = 4, /* in code that nothing describes, frame pointers were followed */
	WARD_K_STACK_OWNED = 8,  /* two words before the addresses say whose it is; the number doesn't count them */
};

/*
 * How a function's caller is found in code of a process: the rule from `at` on, up to the next row. It is the format of
 * libward's (loader/symbols/unwind_rows.h), which describes it. `at` counts from what the file's rows count from.
 */
struct ward_k_row {
	__u32 at;
	__u32 rule;
};

enum ward_k_rule {
	WARD_K_RULE_NONE = 0,
	WARD_K_RULE_RSP = 1,
	WARD_K_RULE_RBP = 2,
	WARD_K_RULE_RBP_DEREF = 3,
	WARD_K_RULE_RSP_DEREF = 4,
	WARD_K_RULE_SIGNAL = 5,
	WARD_K_RULE_PLT = 6,
	WARD_K_RULE_END = 7,
	WARD_K_RULE_KIND = 7,
	WARD_K_RULE_RBP_SHIFT = 3,
	WARD_K_RULE_RBP_MASK = 4095,
	WARD_K_RULE_RBP_AT_RBP = 4095,
	WARD_K_RULE_WORDS_SHIFT = 15,
	/* in the kernel's frame of a signal handler */
	WARD_K_SIGNAL_RBP = 120,
	WARD_K_SIGNAL_RSP = 160,
	WARD_K_SIGNAL_RIP = 168,
};

enum {
	WARD_K_MAX_ROWS = 1 << 22,   /* of a file */
	WARD_K_MAX_FILES = 1 << 12,  /* of a session */
	WARD_K_MAX_PLACES = 1 << 12, /* of a process */
	WARD_K_MAX_TABLES = 1 << 27, /* bytes of a session's, all together */
};

/* Code of a process, and the rows of which file describe it. */
struct ward_k_place {
	__u64 start, end;
	__u32 file; /* as ROWS has numbered it */
	__u32 skew; /* how far below the start is what the rows count from; with the place's size below 4 GiB */
};

/*
 * Rows of a file, in ascending order. They stay until DETACH, or until the session ends. Only with WARD_K_WITH_STACKS.
 */
struct ward_k_rows {
	__u32 size;
	__u32 n_rows;
	__u64 rows; /* address of struct ward_k_row[n_rows] */
	/* out */
	__u32 file; /* its number */
	/* in */
	__u32 unused;
	/* out */
	__u64 used; /* bytes of the session's tables */
};

/*
 * What a process has mapped, in place of what was handed over for it before; nothing, if n_places is 0. The places are
 * in ascending order, and none is in another one.
 */
struct ward_k_mapped {
	__u32 size;
	__u32 n_places;
	__u64 owner[2]; /* the process, as its stacks have it (WARD_K_STACK_OWNED) */
	__u64 places;   /* address of struct ward_k_place[n_places] */
	__u64 unused;
	/* out */
	__u64 used;
};

/* The data of WARD_K_CURRENT: struct ward_current of ward/imports.h. More may follow it. */
struct ward_k_current {
	__u32 pid, tid, uid, gid;
	char comm[16];
	__u64 task;
};

/* Eight bytes of the rodata, a multiple of 8, that get the address of an import. */
struct ward_k_slot {
	__u32 offset; /* in the image */
	__u32 import; /* enum ward_k_import */
};

/*
 * The image is text and, behind it, rodata, in whole pages and as far apart as
 * they are in the module. Answers where the states are in the mapping. What goes
 * through slots is replaced by direct branches; returns by jumps to a thunk where
 * the kernel returns so (EOPNOTSUPP: behind one there aren't four int3).
 */
struct ward_k_load {
	__u32 size;
	__u32 abi;        /* WARD_ABI */
	__u64 image;      /* address of its bytes */
	__u32 image_size; /* a multiple of the page size */
	__u32 text_size;  /* bytes at the start that are code */
	__u64 entries;    /* address of struct ward_k_entry[n_entries] */
	__u32 n_entries;
	__u32 state_size;
	/* out */
	__u32 processors; /* that may ever be: so many tallies, behind a first for all, and states */
	__u32 state_stride;
	__u64 states_offset;
	__u64 map_size;
	/* in */
	__u64 slots; /* address of struct ward_k_slot[n_slots] */
	__u32 n_slots;
	__u32 n_exits;
	/* address of __u32[n_exits]: offsets of all returns, and calls and jumps through slots, in the image */
	__u64 exits;
	/* so many bytes of each state are the same memory in all of them: whole pages, at a multiple of one; 0: none */
	__u32 shared_offset;
	__u32 shared_size;
	__u32 flags; /* WARD_K_WITH_STACKS */
	__u32 unused;
	/* out: where in the mapping the table of stacks is; 0: there is none */
	__u64 stacks_offset;
};

/* Of a load: there is a table of stacks. */
enum { WARD_K_WITH_STACKS = 1 };

/* Hook functions for one probe, or the returns of some, or one tracepoint, or system calls by their functions. */
struct ward_k_attach {
	__u32 size;
	__u32 entry; /* index */
	/*
	 * address of __u64[n_sites]: functions, in ascending order, none twice; of char[n_sites]: a tracepoint's name;
	 * of one struct ward_k_sample
	 */
	__u64 sites;
	__u32 n_sites;      /* 1 where it is a return, but with WARD_K_IN_REGISTERS */
	__u32 first_number; /* ev->site of the first; the others follow */
	/* out */
	__u32 method; /* enum ward_k_method */
	/* in */
	__u32 where; /* enum ward_k_where */
	/* that it has: a probe sees zeros in place of others. Of a function WARD_K_MAX_ARGUMENTS */
	__u32 n_arguments;
	__u32 flags;
};

/*
 * Of a return: all arguments of these functions are in registers, and each
 * returns. So calls can be wrapped, if each is the kernel's own or a live
 * module's, and no other tracer's; else of one function it is a kretprobe, of
 * several it is refused. That it is true is the caller's word: of a function
 * with arguments on the stack it makes garbage.
 */
enum { WARD_K_IN_REGISTERS = 1 };

enum ward_k_where {
	WARD_K_ENTRY = 0,
	WARD_K_RETURN = 1,
	WARD_K_POINT = 2,
	/* an entry of a system call's function: the arguments are those of the call, and only calls of 64 bits count */
	WARD_K_CALL = 3,
	WARD_K_CALL_RETURN = 4, /* the same where it returns */
	WARD_K_SAMPLE = 5,      /* by a clock or a counter */
};

/* A sample's flag: once for the machine, not on each processor. */
enum { WARD_K_ONCE = 1 };

#define WARD_K_MAX_PERIOD (1ULL << 62)

/*
 * What samples are taken by, as perf_event_open takes it: each time that the event has come `period` times on a
 * processor, of the clocks in nanoseconds. Arguments of the event: 1 if the processor was in user mode, else 0; the
 * address that the event is about (of a page fault), or 0. ATTACH answers ENOENT or EOPNOTSUPP if the machine doesn't
 * count that. In an NMI, as hardware's events come, a probe can't read the process's memory.
 */
struct ward_k_sample {
	__u32 size;
	__u32 type; /* PERF_TYPE_HARDWARE, _SOFTWARE, _HW_CACHE or _BREAKPOINT */
	__u64 config;
	__u64 period;
	__u64 address; /* of a breakpoint, else 0, as in the next line */
	__u64 length;
	__u32 access;
	__u32 flags;
};

enum ward_k_method {
	WARD_K_DIRECT = 1,     /* the function's first instruction calls our code */
	WARD_K_FTRACE = 2,     /* through the kernel's function tracer: another tracer has the function too */
	WARD_K_KRETPROBE = 3,  /* the kernel's return probe: calls return to the kernel's code, which calls ours */
	WARD_K_TRACEPOINT = 4, /* called by the kernel's own tracepoint */
	/* a return: the function's first instruction calls our code, which calls the rest of it */
	WARD_K_WRAP = 5,
	WARD_K_SAMPLER = 6, /* a perf event on each processor */
};

/* A tally; that of processor i is at (1 + i) * WARD_K_TALLY_SIZE. The layout is that of a process's threads. */
struct ward_k_tally {
	__u64 pad[24];
	__u64 events; /* probe runs */
	/*
	 * events that came while a probe ran on that processor, or in an NMI, or that the kernel missed (reported at
	 * DETACH; of samples, those of clocks)
	 */
	__u64 dropped;
	__u64 states;    /* of the tally at 0: how many states there are */
	__u64 nmi;       /* of those dropped */
	__u64 held_back; /* how often the kernel has held samples back for a while, because they came too often */
	__u64 pad2[3];
};

#define WARD_K_LOAD _IOWR('W', 1, struct ward_k_load)
#define WARD_K_ATTACH _IOWR('W', 2, struct ward_k_attach)
#define WARD_K_DETACH _IO('W', 3) /* all hooks, and unwind tables; the states stay */
#define WARD_K_ROWS _IOWR('W', 4, struct ward_k_rows)
#define WARD_K_MAPPED _IOWR('W', 5, struct ward_k_mapped)

#endif
