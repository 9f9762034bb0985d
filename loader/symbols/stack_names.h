/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that probes have taken, as text. */
#ifndef WARD_LOADER_STACK_NAMES_H
#define WARD_LOADER_STACK_NAMES_H

#include "stack_table.h"
#include "ward/ward.h"

/* The tables of a session, by number. */
struct wl_stack_names {
	const struct wl_stacks **v;
	size_t n;
};

bool wl_stack_names_put(struct wl_stack_names *s, uint32_t number, int fd, uint64_t offset);
bool wl_stack_names_read(const struct wl_stack_names *s, uint64_t handle, struct wl_stack *out);
/* Stacks for which there was no room, in all tables. */
uint64_t wl_stack_names_lost(const struct wl_stack_names *s);
void wl_stack_names_free(struct wl_stack_names *s);

/* The code that frame `i` is in: of a caller the end of the call, as the return address may be another function's. */
static inline uint64_t wl_stack_code(const struct wl_stack *stack, size_t i)
{
	const uint64_t exact = (uint64_t)1 << WL_STACK_EXACT_BIT;

	return stack->address[i] & exact ? stack->address[i] & ~exact : stack->address[i] - 1;
}

/*
 * "main;parse;malloc", from the outermost function to the innermost. One that ends early begins with "[more]" or
 * "[lost]". If there isn't room for all, the outer ones are left out, and a number takes their place, which is another
 * one for another stack, and the same one for the same names in another process.
 */
void wl_stack_text(
	const struct wl_stack *stack, ward_names *names, uint32_t thread, uint64_t time, char *text, size_t size);

#endif
