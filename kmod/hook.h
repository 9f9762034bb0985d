/* SPDX-License-Identifier: GPL-2.0-only */
/* A hook, and the C functions that are called where something is hooked. */
#ifndef WARD_HOOK_H
#define WARD_HOOK_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "stub.h"
#include "ward.h"
#include "wrap.h"

typedef void (*ward_probe_fn)(const u64 *event, void *state);

/* An end of functions, with its probe. */
struct ward_side {
	ward_probe_fn probe; /* NULL: none */
	u32 fields, clobbers;
	u32 first_number;
};

struct ward_hook {
	struct list_head list;
	struct ward_session *session;
	struct ward_side enter, leave; /* one, or both of a wrapped call; a point's is `enter` */
	u32 n_arguments;               /* of a point */
	u32 method;                    /* enum ward_k_method */
	bool call;                     /* of a system call: the arguments are the call's */
	/* direct_call.c: where the functions lead, with those that others have them for */
	struct ward_lead *lead; /* NULL: nowhere */
	struct list_head in_lead;
	struct ward_stub stub;       /* a point's, too */
	struct ward_stub room;       /* for the one that comes after it */
	struct ward_stub fresh, old; /* during a change: the new one, and the former one */
	u32 n_only;                  /* of the lead's functions; 0: all */
	unsigned long only[WARD_STUB_ONLY];
	struct ward_wrap *wrap;   /* in place of the stub, if there is one */
	struct ward_wrap *former; /* and the one before it */
	struct ftrace_ops ops;    /* of the function tracer's */
	u32 n_sites;
	unsigned long *sites; /* ascending */
	bool held;            /* their modules */
	struct kretprobe kret;
	struct tracepoint *point;
	struct module *owner; /* of the point, held; NULL if it is the kernel's */
	struct ward_samples *samples;
	u64 missed; /* events that the kernel has left out, as far as it says so at the end */
	/* of a point: the function that calls all of its probes, if there are several */
	unsigned long iterator, iterator_size;
};

/* An open call, from its entry on. */
struct ward_call {
	u64 arg[WARD_K_MAX_ARGUMENTS];
	u64 sp;
	u64 time;
};

struct ward_cpu {
	u64 event[WARD_EVENT_ROOM];
	s8 free; /* the guard: 1 while no probe runs here */
};

DECLARE_PER_CPU_ALIGNED(struct ward_cpu, ward_cpu);

/*
 * Where an event comes from, if its stub has no frame of its own: WARD_FROM then has this address, with bit 0 set. Else
 * it has the frame's: rbp as it was, and a return address, of a point to its caller, of others into the function.
 */
struct ward_place {
	unsigned long ip; /* in the function */
	unsigned long caller;
	unsigned long sp;  /* where the function's return address is */
	unsigned long bp;  /* as the function had it, where there is no frame */
	const void *frame; /* NULL: there is none */
	u64 ret, time;     /* of a return: its value, and when the call began */
};

/* The plan of the stub of a function's entry, without what comes next. */
struct ward_stub_plan ward_plan_entry(const struct ward_hook *hook);

/*
 * Called by stubs, for what they can't do; by those of system calls; by those that wrap calls, where the function has
 * returned, or where they don't.
 */
void ward_enter(struct ward_hook *hook, struct ward_frame *frame);
void ward_enter_call(struct ward_hook *hook, struct ward_frame *frame);
void ward_left(struct ward_hook *hook, struct ward_wrap_frame *frame);
void ward_let_pass(struct ward_hook *hook);

/* Called by stubs where they found the scheduler waiting. */
void ward_yield(void);

/* Called by the function tracer; ip is the address of the function's call. */
void ward_traced(unsigned long ip, unsigned long caller, struct ftrace_ops *ops, struct ftrace_regs *fregs);

/*
 * Called by the return probe where the function begins, and where it has returned. If a system call's function is
 * called for something else, its return isn't hooked.
 */
int ward_began(struct kretprobe_instance *instance, struct pt_regs *regs);
int ward_began_call(struct kretprobe_instance *instance, struct pt_regs *regs);
int ward_returned(struct kretprobe_instance *instance, struct pt_regs *regs);

/*
 * function_module.c: hold the modules that functions are of, each as often as it has some
 * of them, or none if one of them can't be held.
 */
bool ward_hold_owners(const unsigned long *sites, u32 n);
void ward_give_owners(const unsigned long *sites, u32 n);

/*
 * Called by a tracepoint with its own arguments, or by the stub in its place. In the places of those that it
 * hasn't, of which the last is on the stack, is whatever is left there.
 */
void ward_passed(struct ward_hook *hook, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5);

/* Called for a sample: what the processor was doing, and the address that the event is about, 0 if there is none. */
void ward_sampled(struct ward_hook *hook, struct pt_regs *regs, u64 address);

#endif
