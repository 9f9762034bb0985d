/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of a parsed module against its parsed proof: the sweep over the code (sweep.c), then the sums over loops
 * and calls (cost.c).
 */
#ifndef WARD_VERIFIER_CHECK_H
#define WARD_VERIFIER_CHECK_H

#include "verifier/proof/proof.h"

/* What leaves a block, in the order of the code: the sweep records it for the sums. */
enum wv_event_kind { WV_EDGE, WV_RETURN, WV_CALL_TO, WV_TAIL_CALL, WV_TRAP };

struct wv_event_record {
	uint8_t kind;
	bool live;      /* some state of the block takes this exit */
	uint16_t depth; /* call: of the stack, with the return address; at most WARD_STACK_CEILING + 8 */
	uint32_t at;    /* instructions of the block executed up to and including this one */
	uint32_t to;    /* edge: block of the function; call: function; trap: its text offset */
};

_Static_assert(WARD_STACK_CEILING + 8 <= UINT16_MAX, "an event's depth has 16 bits");

/*
 * A watcher of the sweep, which explains it (--explain, blame.c). The sweep reports to the watcher what it knows; the
 * watcher can change nothing. Each function may be NULL.
 */
struct wv_watcher {
	void (*enter)(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
		const struct wv_state *st);
	void (*before)(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st);
	/* After the instruction, if control falls through it. */
	void (*after)(void *user, const struct wv_insn *insn, const struct wv_state *st);
	/* An edge to block `to` of the function that was entered last; `feasible`: some state flows along it. */
	void (*edge)(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible);
	/* After all that: a block that control can reach from an entry. */
	void (*reached)(void *user, const struct wv_block *b);
	void *user;
};

struct wv_check {
	const struct wv_module *module;
	const struct wv_watcher *watcher; /* or NULL */
	struct wv_proof proof;
	struct wv_sink *sink;
	size_t reported; /* to the sink before the sweep */
	uint64_t max_insns;
	uint32_t max_stack;
	/* Scratch from the arena: */
	uint8_t *starts;        /* bit per text byte: an instruction starts here */
	uint64_t *heads;        /* bit per text byte: a block starts here */
	uint32_t *heads_before; /* per word of `heads`: how many blocks start before it */
	uint32_t *in_order;     /* the blocks' numbers in the order of their addresses */
	uint32_t *stack;        /* room for as many */
	struct wv_event_record *events;
	size_t n_events;
	uint64_t table_entries;  /* jump table entries that the sweep may still read, */
	size_t table_edges;      /* and edges that jumps may still add: see wv_check_init */
	uint32_t n_jumps;        /* through tables, so far */
	struct wv_state *states; /* two: the current one and one for edges */
	uint64_t n_insns;
	uint64_t steps;      /* of work so far, besides those that the states and the sink count */
	uint64_t most_steps; /* V-06: the most that a sweep may take */
};

/*
 * V-06: the steps that the check of a module may take: so many for each byte of the file, and so many for any file.
 */
enum { WV_STEPS_BYTE = 8, WV_STEPS_FREE = 800000 };

/* Scratch memory that wv_check_init needs for this module. */
size_t wv_check_arena(const struct wv_module *m);
void wv_check_init(struct wv_check *c, void *arena);
/* The most events that a sweep can record. */
size_t wv_check_events(const struct wv_module *m);

/* The function that starts at an offset of the text, or NULL. */
const struct wv_function *wv_function_at(const struct wv_check *c, uint64_t addr);

/* A function's name in messages: "on_read" if it is an entry, else "the function at 0x1010". */
enum { WV_FUNCTION_NAME = 64 };
const char *wv_function_name(const struct wv_check *c, const struct wv_function *f, char buf[WV_FUNCTION_NAME]);

/*
 * Print that a function takes too long. Returns the address of the loop that costs most if there is one, else the
 * function's address.
 */
uint64_t wv_cost_print(const struct wv_check *c, const struct wv_function *f, char *buf, size_t size);
/* "rax rcx" */
void wv_registers_print(uint32_t mask, char *buf, size_t size);
/* The block at an offset inside the text, or NULL. */
struct wv_block *wv_block_at(const struct wv_check *c, uint64_t offset);

/* V-54, when all edges are known: marks the blocks that control can reach. */
void wv_reach(struct wv_check *c);

/* Steps of work that were taken since wv_check_init. */
uint64_t wv_steps(const struct wv_check *c);
/*
 * Check every byte of the text, every block and every edge. Violations go to the sink. The sweep ends early, with a
 * violation, when it has taken too many steps.
 */
void wv_sweep(struct wv_check *c);
/*
 * Check one block alone, after a sweep without violations: proof inference finds what a block needs so. The verdict
 * doesn't depend on it.
 */
void wv_sweep_block(struct wv_check *c, struct wv_block *b);
/*
 * V-41, V-63, V-64: stack and instructions, summed bottom up; fills in the functions' facts. Only after a sweep without
 * violations.
 */
void wv_sum(struct wv_check *c);

/* Where control leaves an accepted text (struct ward_module_facts); the caller frees the array. False: no memory. */
struct wv_exits {
	struct ward_exit_facts *v;
	size_t n;
};
bool wv_find_exits(const struct wv_module *m, struct wv_exits *x);

/*
 * Find where the numbers come from that get memory accesses rejected: fills in the origins of n violations that a
 * sweep of `c` reported. It sweeps again, with half as many steps as the check may take in all.
 */
void wv_find_origins(struct wv_check *c, struct ward_violation *violations, size_t n);

/* Parse and sweep a module for a watcher, as ward_verify does it. False: no memory. */
bool wv_watch(
	const void *file, size_t size, const struct ward_verify_options *options, const struct wv_watcher *watcher);

#endif
