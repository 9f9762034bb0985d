/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which directories are the files that a program opens?
 *
 *	ward trace -p PID -d 10 probes/prefixes.c
 *	ward trace -D DEPTH=3 probes/prefixes.c -- make
 *
 * The probe counts opens by the first DEPTH parts of the path (default: two), as far as they fit into 40 bytes.
 * Relative paths count by their own first parts. opens.c shows the last paths. paths.c counts a few directories
 * without a map.
 */
#include <ward/imports.h>
#include <ward/probe.h>

#ifndef DEPTH
#define DEPTH 2
#endif

struct prefix {
	char path[40];
};

struct ward_state {
	ward_count opens, unreadable;
	WARD_MAP(struct prefix, ward_count, 512) by_prefix;
};

static void count(struct ward_state *st, unsigned long path)
{
	struct prefix p;
	unsigned parts = 0, i;

	st->opens++;
	if (ward_read_str(p.path, sizeof(p.path), path) == 0) {
		st->unreadable++;
		return;
	}
	for (i = 1; i < sizeof(p.path); i++) {
		parts += p.path[i] == '/';
		if (parts >= DEPTH)
			p.path[i] = 0; /* keys are compared whole */
	}
	ward_map_add(&st->by_prefix, p, 1);
}

WARD_ENTRY("libc.so.6!open")
void on_open(const struct ward_event *ev, struct ward_state *st)
{
	count(st, ev->arg[0]);
}

WARD_ENTRY("libc.so.6!openat")
void on_openat(const struct ward_event *ev, struct ward_state *st)
{
	count(st, ev->arg[1]);
}
