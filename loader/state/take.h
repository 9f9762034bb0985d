/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a partial (partial_take.c, take_map.c), and what maps have handed on (drain.c). Internal to loader/state. */
#ifndef WARD_LOADER_STATE_TAKE_H
#define WARD_LOADER_STATE_TAKE_H

#include "partial.h"

struct taker {
	const ward_partial *p;
	struct partial_field *field;
	const struct wl_entries *kind;
	const struct states *states;
	ward_names *names;
	struct spill_seen *seen; /* by thread; NULL: what the states say */
	struct heap scratch;     /* what one field needs while it is taken */
	uint64_t *words;         /* of a part: room for `n_words` */
	size_t n_words;
};

/* partial_take.c: add the values of one key, read from n copies, to a row. False without memory; so all that follow. */
bool take_values(struct taker *t, struct rows *rows, const void *const *at, size_t n);

static inline const unsigned char *take_slot_at(const struct state_map *map, const void *state, uint32_t s)
{
	return (const unsigned char *)state + map->slots + (size_t)s * map->stride;
}

/* A copy of a slot, and the number of the row that has its key; the key itself, if it is one word. */
struct slot {
	struct slot_copy copy;
	size_t key;
	uint64_t word;
};

/* take_sort.c: sort by `word`, then by thread. */
bool take_sort_words(struct slot *slots, size_t n);

/* take_map.c: the rows of a map, and what is beside them. */
bool take_map(struct taker *t);

/* Copies of entries that a map has handed on. */
struct spilled {
	unsigned char *bytes; /* n of the map's stride */
	uint32_t *threads;
	size_t n, room;
};

/* take_map.c: rows of such entries alone. */
bool take_spilled(struct taker *t, const struct spilled *spilled);

/*
 * take_map.c: which entries of a map's queue are new: those behind *from, up to the number that is returned. The queue
 * holds no more.
 */
uint64_t spill_look(const struct state_map *map, const unsigned char *state, struct spill_seen *seen, uint64_t *from);
/* Copy entry `number`, if the queue holds it. */
bool spill_copy(const struct state_map *map, const unsigned char *state, uint64_t number, unsigned char *to);

#endif
