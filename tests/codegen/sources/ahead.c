/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses by an index from pointers that are loaded before a loop. The pointers are checked in front of the loop where
 * each run that comes there uses them, and where one might not, at their use.
 */
#include <ward/probe.h>

enum { SIZE = 32 };

struct state {
	char *from, *to;
	unsigned long done;
	unsigned *words;
	char text[SIZE], copy[SIZE];
	unsigned table[SIZE];
};

/* Each path comes to both pointers. */
WARD_ENTRY() void copy(const struct ward_event *ev, struct state *st)
{
	const char *from = st->from;
	char *to = st->to;
	unsigned i = 0;

	while (i < SIZE - 1 && from[i]) {
		to[i] = from[i];
		i++;
	}
	to[i] = 0;
	st->done++;
}

WARD_ENTRY() void sum(const struct ward_event *ev, struct state *st)
{
	const unsigned *words = st->words;
	unsigned long sum = 0;

	for (unsigned i = 0; i < SIZE; i++)
		sum += words[i];
	st->done += 1 + (sum == 99);
}

/* No path needs to come to it. */
WARD_ENTRY() void perhaps(const struct ward_event *ev, struct state *st)
{
	char *to = st->to;

	for (unsigned i = 0; i < SIZE; i++)
		if (ev->arg[i % 4])
			to[i] = (char)i;
	st->done++;
}

WARD_ENTRY() void no_rounds(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] < SIZE ? (unsigned)ev->arg[0] : SIZE;
	char *to = st->to;

	for (unsigned i = 0; i < n; i++)
		to[i] = (char)i;
	st->done++;
}

/* The loop may end before the pointer is used. */
WARD_ENTRY() void ends_before(const struct ward_event *ev, struct state *st)
{
	char *to = st->to;

	for (unsigned i = 0; i < SIZE; i++) {
		if (ev->arg[0] == i)
			break;
		to[i] = (char)i;
	}
	st->done++;
}

/* The first index is known in front of the loop, and each run that comes there uses it. */
WARD_ENTRY() void indexed(const struct ward_event *ev, struct state *st)
{
	unsigned from = st->table[0], to = st->table[1], n = st->table[2] % SIZE;

	for (unsigned i = 0; i < n; i++)
		st->copy[to + i] = st->text[from + i];
	st->done++;
}

/* What is added to the index may be what makes it right. */
WARD_ENTRY() void indexed_from_one(const struct ward_event *ev, struct state *st)
{
	unsigned to = st->table[0];

	for (unsigned i = 1; i < SIZE; i++)
		st->copy[to + i] = (char)i;
	st->done++;
}

/* The first round may not use it. */
WARD_ENTRY() void indexed_later(const struct ward_event *ev, struct state *st)
{
	unsigned to = st->table[0];

	for (unsigned i = 0; i < SIZE; i++)
		if (st->text[i])
			st->copy[to + i] = (char)i;
	st->done++;
}

/* Below the pointer. */
WARD_ENTRY() void downwards(const struct ward_event *ev, struct state *st)
{
	char *to = st->to;

	for (unsigned i = 1; i < SIZE; i++)
		to[-(long)i] = (char)i;
	st->done++;
}
