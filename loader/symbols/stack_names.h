/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that probes have taken, as text. */
#ifndef WARD_LOADER_STACK_NAMES_H
#define WARD_LOADER_STACK_NAMES_H

#include "stack_table.h"
#include "ward/ward.h"

/* Behind the name of a function that has no frame of its own, as its code is part of the next one outwards. */
#define WL_INLINED " (inlined)"

/* The tables of a session, by number. */
struct wl_stack_names {
	const struct wl_stacks **v;
	size_t *seen; /* words of each that wl_stack_names_fresh has given */
	size_t n;
};

bool wl_stack_names_put(struct wl_stack_names *s, uint32_t number, int fd, uint64_t offset);
bool wl_stack_names_read(const struct wl_stack_names *s, uint64_t handle, struct wl_stack *out);
bool wl_stack_names_any_fresh(const struct wl_stack_names *s);
/* Code of frames that have come since the last call, at most `most`; numbers that are none may be among them. */
size_t wl_stack_names_fresh(struct wl_stack_names *s, uint64_t *codes, size_t most);
/* Stacks for which there was no room, in all tables. */
uint64_t wl_stack_names_lost(const struct wl_stack_names *s);
void wl_stack_names_free(struct wl_stack_names *s);

/* The code that a frame is in: of a caller the end of the call, as the return address may be another function's. */
static inline uint64_t wl_frame_code(uint64_t address)
{
	const uint64_t highest = (uint64_t)1 << WL_STACK_EXACT_BIT;
	bool exact = address & highest;
	uint64_t code = address & ~highest;

	if (code & highest >> 1) /* the kernel's, whose addresses have both bits */
		code |= highest;
	return exact ? code : code - 1;
}

static inline uint64_t wl_stack_code(const struct wl_stack *stack, size_t i)
{
	return wl_frame_code(stack->address[i]);
}

/*
 * "main;parse;next (inlined);malloc", from the outermost function to the innermost. One that ends early begins with
 * "[more]" or "[lost]". If there isn't room for all, the outer ones are left out, and a number takes their place, which
 * is another one for another stack, and the same one for the same names in another process.
 */
void wl_stack_text(
	const struct wl_stack *stack, ward_names *names, uint32_t thread, uint64_t time, char *text, size_t size);

#endif
