/* SPDX-License-Identifier: Apache-2.0 */
/* The state's stack slots beside the machine's stack; see stack.c. */
#ifndef WARD_Z3_STACK_H
#define WARD_Z3_STACK_H

#include <stddef.h>

#include "queries.h"
#include "transfer.h"

#define STATE(field) exec_load(now, &state, offsetof(struct wv_state, field), sizeof(((struct wv_state *)0)->field))
#define CONTEXT(field) exec_load(now, &context, offsetof(struct wv_ctx, field), sizeof(((struct wv_ctx *)0)->field))

/* Begin a row about an access of so many bytes; `other`: of one slot more something is asked. */
void begin_stack(unsigned bytes, bool other);
/* The access begins in this slot, at this byte of it; so its offset is this. So many slots were there. */
extern term slot, byte, offset, slots_before;
term least_offset(void); /* of all slots that there can be */

enum { MOST_BYTES = 8 << 16 }; /* of string instructions */

/*
 * Callees that are taken by their word in this row, or (call: NULL) run there, as they aren't in others; the last one
 * has no name. `always`: in a search and a replay too.
 */
struct callee {
	const char *function;
	void (*call)(const struct called *c);
	bool always;
};
void also_call(const struct callee *list);
/* One of them, in rows where a single slot stands for any. */
void call_smudge_bytes(const struct called *c);

/* Anything, of which what is said is true where `when` holds. */
struct content given_content(const struct value *at, const char *name, term when);
/*
 * Any value of which so many bytes are stored, and what holds it; of a number it is known how much is the probe's own.
 */
struct value given_value_to_store(unsigned bytes);
/* The processor stores them; are they all the probe's own? */
void machine_store(term when);
term all_stored_own(void);
/* … any bytes of the probe's own, to [lo, hi) of the slot that the row is about. */
void machine_store_bytes(term when, term lo, term hi);
/* So many bytes of the access are the probe's own. */
term bytes_own(unsigned bytes);
/* What it loads, zero-extended; *mine: all of it is the probe's own. */
term loaded(unsigned bytes, term *mine);

/* Run the function. */
void called_with(const struct query *q, const struct value *args, struct value *told);
/* What is kept of each slot that is there is true. */
void claim_slots(void);
/* A value that is loaded: it is x, and says that it is the probe's own only if it is. */
void claim_loaded(const struct value *at, unsigned bytes, term x, term mine, term when);
/* Nothing in the state is changed but what may be; and all that was claimed is proven. */
void end_stack(bool may_change(uint64_t at));
bool in_nothing(uint64_t at);
bool in_slots(uint64_t at);
bool in_frame_of_stack(uint64_t at);

#endif
