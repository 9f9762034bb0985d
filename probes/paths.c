/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where are the files that a program opens, and how long are their names?
 *
 *	ward trace -p PID probes/paths.c
 *
 * The path is read from the target by an import (ward/imports.h), which says whether it could be read.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count opens;
	ward_count unreadable; /* no path there, or an empty one */
	ward_count relative;   /* to the working directory, or to one that is open */
	ward_count dev, etc, home, proc, sys, tmp, usr, var, elsewhere;
	ward_log2 length;
};

/* The first five characters of a path, as a number. */
#define FIVE(a, b, c, d, e) \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32)

static void count(struct ward_state *st, uint64_t path)
{
	char text[256];
	uint64_t length = ward_read_str(text, sizeof(text), path), start;

	st->opens++;
	if (length == 0) {
		st->unreadable++;
		return;
	}
	ward_log2_add(&st->length, length);
	__builtin_memcpy(&start, text, sizeof(start));
	if (text[0] != '/') {
		st->relative++;
		return;
	}
	switch (start & 0xffffffffff) {
	case FIVE('/', 'd', 'e', 'v', '/'): st->dev++; break;
	case FIVE('/', 'e', 't', 'c', '/'): st->etc++; break;
	case FIVE('/', 'h', 'o', 'm', 'e'): st->home++; break;
	case FIVE('/', 'p', 'r', 'o', 'c'): st->proc++; break;
	case FIVE('/', 's', 'y', 's', '/'): st->sys++; break;
	case FIVE('/', 't', 'm', 'p', '/'): st->tmp++; break;
	case FIVE('/', 'u', 's', 'r', '/'): st->usr++; break;
	case FIVE('/', 'v', 'a', 'r', '/'): st->var++; break;
	default: st->elsewhere++; break;
	}
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
