/* SPDX-License-Identifier: Apache-2.0 */
/* The unwind tables of a target whose probes take stacks. unwind_tables.c describes how they are kept up to date. */
#ifndef WARD_LOADER_UNWIND_TABLES_H
#define WARD_LOADER_UNWIND_TABLES_H

#include "attachment.h"

/* Memory in the target for them, behind the cache; what isn't used isn't there. */
enum { WL_TABLES_SIZE = 128 << 20 };

/*
 * Make them, of the code that the target has mapped now. Returns 0 or ENOMEM. Code whose tables can't be read, or for
 * which there is no room, is walked through by frame pointers.
 */
int wl_tables_make(struct wl_attachment *a);

/* Has the target mapped other code meanwhile? Then make what is missing. Costs little, so it may be asked often. */
void wl_tables_poll(struct wl_attachment *a);

/* A child has just been forked: its tables are copies. Returns 0 or ENOMEM. */
int wl_tables_fork(struct wl_attachment *a, const struct wl_attachment *parent);

void wl_tables_free(struct wl_tables *tables);

#endif
