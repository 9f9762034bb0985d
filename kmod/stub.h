/* SPDX-License-Identifier: GPL-2.0-only */
/* Stubs: Ward's own code between the kernel and a probe, one for each hook. stub.c describes them. */
#ifndef WARD_STUB_H
#define WARD_STUB_H

#include <linux/types.h>

#include "ward.h"

enum { WARD_STUB_ONLY = 8 };

enum ward_stub_kind {
	WARD_STUB_ENTRY,  /* called by a function's first instruction */
	WARD_STUB_CALL,   /* the same of a system call's function: the arguments are the call's */
	WARD_STUB_POINT,  /* called by a tracepoint, with `hook` and the tracepoint's arguments */
	WARD_STUB_RETURN, /* of a wrapped call: where the function has returned */
};

struct ward_stub_plan {
	enum ward_stub_kind kind;
	const void *probe;
	u32 fields, clobbers; /* of its entry */
	u32 number;           /* of the site */
	u32 n_arguments;      /* of a point */
	bool slow;            /* all events take the slow path */
	struct ward_here __percpu *here;
	s8 __percpu *free; /* the guard */
	/*
	 * What the stub can't do, in C. Of a point: of ward_passed's type, and
	 * the stub jumps there; of a return: of ward_left's; else of ward_enter's.
	 */
	const void *hook, *enter;
	void (*yield)(void); /* let the scheduler have the processor if it has requested it */
	/*
	 * Of a function's entry: where to go then, as the function has called us; NULL:
	 * back to it. And which functions it is for, of those that call us, by the
	 * addresses behind their calls; n_only 0: for all.
	 */
	const u8 *next;
	u32 n_only;
	unsigned long only[WARD_STUB_ONLY];
};

/* What the stub of an entry has pushed when it takes the slow path. */
struct ward_frame {
	u64 arg[WARD_K_MAX_ARGUMENTS];
	u64 rax;
	u64 rbp;
	u64 ip; /* in the function, behind its call */
	u64 caller;
};

/* What a stub that wraps calls works with on a processor; it lives as long as the stub does. */
struct ward_gate {
	struct ward_here here; /* of the session, until the probes are gone */
	u64 open;              /* calls that began here, less those that ended here */
	u64 off;               /* the probes are gone */
};

struct ward_wrap_plan {
	struct ward_stub_plan enter; /* probe NULL: there is none. `here` is the gate's */
	struct ward_stub_plan leave;
	bool call; /* of a system call's function */
	struct ward_gate __percpu *gate;
	const u8 *rest;          /* of the function, behind its call; NULL: of several, each its own */
	const void *hook, *pass; /* called with the hook where a call isn't wrapped */
};

/* A wrapped call's frame, with what the stub has pushed when it takes the slow path. */
struct ward_wrap_frame {
	u64 rdx, rax; /* returned */
	u64 time;     /* these two only as far as the return's probe reads them */
	u64 arg[WARD_K_MAX_ARGUMENTS];
	u64 rbp;
	u64 ip; /* in the function, behind its call */
	u64 caller;
};

struct ward_stub {
	u8 *code; /* in the arena; NULL: there is none */
	size_t size;
	const u8 *next; /* as its plan said */
};

/* Take room for a stub of an entry, whatever comes next. ENOSPC: the arena is full. */
int ward_stub_take(struct ward_stub *stub, const struct ward_stub_plan *plan);

/* Make a stub, where room was taken for it, or take that, too. */
int ward_stub_make(struct ward_stub *stub, const struct ward_stub_plan *plan);

int ward_stub_wrap(struct ward_stub *stub, const struct ward_wrap_plan *plan);

/* Nobody may be there, nor come back. */
void ward_stub_free(struct ward_stub *stub);

#endif
