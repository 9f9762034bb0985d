/* SPDX-License-Identifier: Apache-2.0 */
/* A function's code, instruction by instruction (cfg.c), as exits.c needs it to patch the exits. */
#ifndef WARD_LOADER_CFG_H
#define WARD_LOADER_CFG_H

#include "exits.h"

#include <Zydis/Zydis.h>
#include <limits.h>

enum { UNKNOWN = INT_MIN }; /* a depth */

enum kind { PLAIN, CALL, RET, JUMP, BRANCH, LEAVE, LEAVE_IF, INDIRECT, STOP, PADDING };

/*
 * What an instruction does to the depth of the stack and to what is known of rbp, which is a depth as well while it is
 * a frame pointer.
 */
enum effect { NOTHING, PUSHED, LOST, FRAME_SET, FRAME_LOST, FROM_FRAME };

struct step {
	uint32_t at;
	uint32_t target; /* JUMP, BRANCH: index of the target instruction */
	int32_t depth, frame, change;
	uint8_t len, kind, effect;
	bool pops_frame; /* rbp as well has another value then */
	bool reached, queued, late, by_call, patched;
	bool guessed; /* reached from what may be an exception's handler only */
	bool silent;  /* LEAVE, LEAVE_IF without a frame: what it leads to never returns */
	bool faults;  /* a signal may come of it, which a handler may want to make something of */
};

struct table {
	uint64_t base;
	size_t n; /* entries that lead into the function, up to the first that doesn't */
};

struct body {
	const struct wl_function *f;
	const struct wl_process *p;
	ZydisDecoder decoder;
	struct step *v;
	size_t n;
	uint32_t *index; /* by offset: 1 + the index of the instruction there, or 0 */
	bool *target;    /* by offset: a jump leads there */
	bool *handler;   /* by offset: the unwinder goes there */
	bool *padding;   /* by offset, also behind the function's end: never executed, and free */
	struct table *tables;
	size_t n_tables;
	uint32_t *queue;
	size_t n_queue, first_late;
	const char *why;
	struct wl_parts *parts;
	bool *begins[WL_PARTS]; /* by offset in the part: an instruction begins there */
	bool switches, guessing;
	struct wl_leaves leaves;
};

/*
 * Decode the function, read its tables and follow all paths through it. NULL, or a static string: why it isn't
 * understood. Must be freed in either case.
 */
const char *wl_flow_read(struct body *b);
void wl_flow_free(struct body *b);

/* Is the function left at instruction i? */
bool wl_flow_exit(struct body *b, size_t i);

/* Is there an instruction at the offset that serves only for alignment? */
bool wl_flow_padding(const struct body *b, size_t at, size_t *length);

#endif
