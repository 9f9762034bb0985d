/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that stacks of a table are of, where one table has those of many. */
#ifndef WARD_LOADER_STACK_OWNERS_H
#define WARD_LOADER_STACK_OWNERS_H

#include "map_history.h"
#include "stack_table.h"

struct wl_owner {
	uint64_t id[2]; /* as its stacks have it */
	struct wl_history history;
	struct wl_mapped mapped;
	bool other; /* its number is another program's by now */
};

/* What the stacks of a process begin with. False: it is gone. */
bool wl_owner_read(pid_t pid, uint64_t id[2]);

/* Zero at first. */
struct wl_owners {
	struct wl_owner *v;
	size_t n, cap;
	uint32_t *of; /* a table of places: 1 + an owner's, or 0 */
	size_t places;
	uint64_t scanned; /* words of the table that have been looked at */
};

/*
 * Look at the stacks that have come to the table since, and at what processes have mapped that are new among their
 * owners, or from which something has come. To be called soon after stacks are taken: of a process that has ended by
 * then, nothing is known. Costs little if none have come.
 */
void wl_owners_see(struct wl_owners *o, const struct wl_stacks *stacks, struct wl_files *files);

/* The owner of a stack; NULL: it isn't known. */
const struct wl_owner *wl_owner_of(const struct wl_owners *o, const struct wl_stack *stack);

void wl_owners_free(struct wl_owners *o);

#endif
