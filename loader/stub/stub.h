/* SPDX-License-Identifier: Apache-2.0 */
/* The stub generator and the dispatcher: trusted code. stub.c describes how stubs work. */
#ifndef WARD_LOADER_STUB_H
#define WARD_LOADER_STUB_H

#include "loader/base/asm.h"
#include "call_frames.h"
#include "dispatch.h"
#include "eflags.h"
#include "inline_probe.h"
#include "loader/code/displace.h"
#include "loader/symbols/sdt_note.h"
#include "slots.h"
#include "walk.h"

/* Index of a field in struct ward_event, in units of eight bytes: bit numbers of event_fields. */
enum wl_event_field {
	WL_ARG = 0,
	WL_RET = 6,
	WL_CALLER,
	WL_TID,
	WL_CPU,
	WL_TIME,
	WL_ELAPSED,
	WL_SITE,
	WL_SP,
	WL_EVENT_WORDS
};

/* Bytes below a tracepoint's rsp that may be in use. */
enum { WL_RED_ZONE = 128 };

/* How a stub learns the thread's id. */
struct wl_tid_source {
	bool in_tcb; /* it is at fs:offset; else a system call at each event reads it */
	uint32_t offset;
};

/* A probe as a stub needs to know it: the verifier's facts and where its code is. */
struct wl_stub_probe {
	uint64_t addr;
	uint32_t clobbers; /* from bit 16 on, xmm registers */
	uint16_t fields;
	uint32_t stack_bytes;
	uint32_t needs; /* enum ward_need */
	const struct wl_inplace *in_place;
};

struct wl_stub {
	const struct wl_slots *slots;
	uint64_t dispatcher;
	struct wl_tid_source tid;
	bool have_rdpid;
	const struct wl_stub_probe *probes;
	size_t n_probes; /* 1 to 127; 0 if it is there to keep what a return probe wants of the entry */
	uint32_t site;   /* ev->site */
	uint32_t depth;  /* bytes that the function has pushed before it gets to the stub */
	const struct wl_displaced *before; /* and which registers it has changed by then; or NULL */
	bool go;                           /* arguments are where Go's compiler has them */
	bool tail;                         /* the function is left for another one, not for its caller */
	/* of a tracepoint, WL_POINT_ARGS of them; NULL: the site is a function's entry or exit */
	const struct wl_operand *args;
	uint64_t point;   /* its address */
	uint64_t walks;   /* probes may take the thread's stack: the site, as WL_WALK_IP has it; 0: they don't */
	uint64_t peek_at; /* wl_peek's code */
	bool throws;      /* some site has probes for exceptions: what is kept of a call says which are this one's */
	uint64_t thrown;  /* this one's, or 0 */
	bool is_gone;     /* the probes are those: most of the event is there already */
	/* `caught` of struct wl_calls_at, at the entry of what begins a handler of exceptions; else 0 */
	uint64_t catch_at;
	uint64_t hook_at;  /* `raised`, `jumps` or `ends`, at the entry of a function that reports that; else 0 */
	uint64_t enter_at; /* `enter`, if arguments and time are to be kept for a return probe; else 0 */
	/* `leave`, if the probes need them, which then run only if they are known; or `over` */
	uint64_t leave_at;
	uint64_t missed_at; /* `missed`, with either of them; or what hook_at has instead, or 0 */
	unsigned flags;     /* of the gate, with which the event is dropped */
	bool ordered_times; /* of events of different threads */
};

/*
 * Emit the part of a stub before the displaced instructions. Control leaves it at its end with every register and
 * flag as it was. At a tracepoint the bytes below rsp are live, too. stub->depth is what has been pushed since the
 * function's entry, or the nop, not counting what this pushes. Pass *labels to wl_stub_cold after the displaced
 * instructions.
 */
struct wl_stub_labels {
	size_t gate;        /* forward jump: the gate isn't open, or has flags */
	uint64_t open;      /* where it returns if the event is to be reported nevertheless */
	uint64_t out;       /* and if not */
	unsigned flags;     /* the stub's */
	bool counts;        /* there are probes that miss it then */
	size_t miss;        /* forward jump: the row at hand isn't the thread's */
	uint64_t ready;     /* where it comes back with the row */
	uint64_t marked;    /* the same, when the row is marked already */
	uint64_t skip;      /* where it comes back without */
	uint64_t missed;    /* where that begins */
	uint64_t missed_at; /* what it calls first then, or 0; */
	uint32_t depth;     /* and with what has been pushed since the call began */
	struct wl_eflags eflags;
};
void wl_stub_hot(struct wl_code *c, const struct wl_stub *stub, struct wl_stub_labels *labels);
void wl_stub_cold(struct wl_code *c, const struct wl_stub *stub, struct wl_stub_labels *labels);

/* At an exit: count an event as dropped, while the gate is open. */
void wl_stub_drop(struct wl_code *c, const struct wl_stub *stub);

/*
 * A probe of returns that reads ev->ret, but not ev->caller, which is 0 at a tail call: it would take what happens to
 * be in rax for a result.
 */
static inline bool wl_blind_to_tails(unsigned fields)
{
	return fields & 1u << WL_RET && !(fields & 1u << WL_CALLER);
}

/* Store the arguments that `fields` has a bit of into the event at disp(%r10). Changes rax and r11 (sdt_operand.c). */
void wl_store_operands(struct wl_code *c, const struct wl_stub *stub, unsigned fields, uint32_t disp);

/* Does reading it take a system call, always or now and then? */
static inline bool wl_operand_peeks(const struct wl_operand *o)
{
	return o->kind == WL_OP_MEMORY || (o->kind == WL_OP_VARIABLE && (uint64_t)o->value & (o->size - 1u));
}

/* Emit what reads memory for wl_store_operands that may not be there. One for each area of stubs. */
void wl_peek(struct wl_code *c);

/* movq $0, -8(%rsp) */
void wl_wipe_return_address(struct wl_code *c);

/* Emit what runs the probes of a call that an exception has left; the event has what `caught` has put there. */
void wl_thrown(struct wl_code *c, const struct wl_stub *stub);

#endif
