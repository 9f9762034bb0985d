/* SPDX-License-Identifier: Apache-2.0 */
/* The unwind tables of processes, for probes of the kernel that take their stacks. kernel_tables.c describes them. */
#ifndef WARD_LOADER_KERNEL_TABLES_H
#define WARD_LOADER_KERNEL_TABLES_H

struct wl_kernel_tables;

/*
 * For the session of that device, which stays open as long. All processes that run now are to be looked at; it is done
 * by the next function. NULL without memory.
 */
struct wl_kernel_tables *wl_kernel_tables_new(int device);

/* Look at processes for about so long, until there is nothing to do. Costs little if nothing has happened. */
void wl_kernel_tables_look(struct wl_kernel_tables *t, unsigned milliseconds);

/* NULL is allowed. */
void wl_kernel_tables_free(struct wl_kernel_tables *t);

#endif
