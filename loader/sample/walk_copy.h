/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a stack of which there is a copy, with the registers as they were. */
#ifndef WARD_LOADER_SAMPLE_WALK_COPY_H
#define WARD_LOADER_SAMPLE_WALK_COPY_H

#include "code_map.h"
#include "loader/symbols/stack_table.h"

struct wl_stack_copy {
	uint64_t rip, rsp, rbp;
	const uint8_t *bytes; /* from rsp on */
	uint64_t size;
	bool is_cut; /* the stack may go on behind them */
};

/*
 * The stack, of so many frames at most. It ends as those that probes take (stack_table.h); as one that is cut, where
 * the copy ends. Each frame is above the one before, so it takes time in proportion to the frames.
 */
void wl_walk_copy(const struct wl_stack_copy *copy, const struct wl_code_map *code, size_t most, struct wl_stack *out);

#endif
