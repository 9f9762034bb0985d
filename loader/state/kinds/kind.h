/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of fields, one row each. Internal to loader/state.
 *
 * A row says all that Ward knows of a kind: how to find it in the debug information, when its description may be
 * believed, how the copies of the threads merge, and how the result is shown. Each aggregate has a file of its own.
 * Other files ask the row, not which kind it is, but for what keys, records and traces are made of: numbers and texts.
 *
 * Kinds differ in the form of their results (enum ward_form of ward/ward.h). Of a LINE or of BUCKETS the row merges
 * everything. Of ENTRIES and RECORDS the merging is the same for all kinds, and is not here but in partial_*.c and
 * merge_ring.c, as their parts are fields again; the row only says what the words of a slot mean. Nothing in this
 * folder depends on these files.
 *
 * Merging has two steps. A partial is taken from the states: words that can be added to those of other threads,
 * processes and machines (partial.h). At the end a partial is finished: quotients and estimates, which can't be merged
 * again, are computed then.
 */
#ifndef WARD_LOADER_STATE_KINDS_KIND_H
#define WARD_LOADER_STATE_KINDS_KIND_H

#include "loader/state/bounds.h"
#include "loader/state/merge_base.h"
#include "loader/state/schema.h"
#include "loader/state/types.h"

/* A row for each value of enum ward_field_kind, and the name of the row: struct wl_kind wl_kind_NAME. */
#define WL_KINDS(ROW) \
	ROW(COUNT, count) \
	ROW(LOG2, log2) \
	ROW(MAP, map) \
	ROW(VALUE, value) \
	ROW(STOP, trap) \
	ROW(MIN, min) \
	ROW(MAX, max) \
	ROW(STAT, stat) \
	ROW(LINEAR, linear) \
	ROW(QUANTILES, quantiles) \
	ROW(MEAN, mean) \
	ROW(GATE, gate) \
	ROW(DISTINCT, distinct) \
	ROW(TOP, top) \
	ROW(CHOPSTIX, chopstix) \
	ROW(RING, ring) \
	ROW(FLIGHT, flight) \
	ROW(TEXT, text) \
	ROW(ARRAY, array) \
	ROW(WIDE, wide) \
	ROW(REAL, real) \
	ROW(QUEUE, queue)

/* The types of a slot's parts, which the walk through the types goes on with; those that there are. */
struct slot_types {
	struct type_at slot, key, value;
	bool has_key, has_value;
	bool is_plain; /* the value has no aggregates */
	uint64_t text; /* the value is a text of so many characters, whose first one's type is given; 0: it isn't */
};

/* A way to find a kind: a struct whose first member has this name, and the type NAME_mark[0]. */
struct wl_mark {
	const char *name;
	/*
	 * Read the description of the aggregate into *f. Of ENTRIES and RECORDS the second one, which gives out parts.
	 */
	bool (*read)(struct types_reader *r, const struct type_at *at, struct state_field *f);
	bool (*read_slots)(
		struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots);
};

/* Copies of slots that have one key, in the order of their threads. */
struct slot_copy {
	const unsigned char *bytes;
	uint32_t thread;
};
struct slot_group {
	const struct slot_copy *slot;
	size_t n;
	uint64_t weight, error; /* results: what the key has counted; how much of that may be others' */
};

/* ENTRIES: what the words of a slot mean. */
struct wl_entries {
	bool is_array;      /* a slot has no words: its key is its place, and it is in use if it isn't all zeros */
	uint64_t removed;   /* the word `used` of a slot whose key was removed; 0: there is none */
	bool joins_modules; /* sites of one module are one key */
	/*
	 * There are no more results than a thread has slots; the others aren't worth counting. A partial without a key
	 * may have counted it as often as its floor says, which is 0 if it has room.
	 */
	bool has_most;
	/*
	 * Weigh a key; floor[t] is the least word `used` of thread t, 0 if a slot is free. NULL: the weight is that of
	 * the first part of the value. Weights and errors add up.
	 */
	void (*weigh)(const struct state_field *f, struct slot_group *group, const uint64_t *floor, size_t threads);
	/* What there is beside the entries. NULL: `lost` and `evicted` add up. */
	void (*total)(const struct state_field *f, const struct states *states, struct ward_field *out);
};

/* A partial without those of its cells, at both ends, that are 0. */
struct wl_words {
	const uint64_t *fixed, *cells;
	size_t first, n; /* of the cells that there are */
};

/* As it is; as a signed number; the same of words_ordered; the negative; the negative of words_ordered. */
enum wl_wire { WIRE_PLAIN, WIRE_SIGNED, WIRE_ORDERED, WIRE_NEGATIVE, WIRE_NEGATIVE_ORDERED };

/* words.c: a word as a number of a message, and back. */
uint64_t words_to_wire(enum wl_wire how, uint64_t word);
uint64_t words_from_wire(enum wl_wire how, uint64_t number);

/* words.c: the add() of kinds whose words all add up, and of those whose words are the greatest. */
void words_sum(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells);
void words_max(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells);

struct wl_kind {
	struct ward_kind shown;
	/* The name of an integer type. Or of a struct without a mark, which marks[0] reads. Or NULL. */
	const char *type;
	bool is_followed;        /* RECORDS: streams and traces read its records as they come */
	bool has_unit;           /* its numbers may be amounts of something */
	struct wl_mark marks[3]; /* those that there are */
	bool (*valid)(const struct state_field *f, uint64_t end); /* does all of it lie before `end`? */
	/*
	 * LINE, BUCKETS: the partial, which is the same for one state, for all threads, and for many machines. It has
	 * `fixed` words, and behind them as many cells as cells() says (NULL: none), of which most may be 0. All zeros
	 * are the partial of no state. add() is associative and commutative.
	 */
	uint32_t fixed;
	uint32_t (*cells)(const struct state_field *f);
	void (*take)(const struct state_field *f, const unsigned char *state, uint64_t *into); /* adds, too */
	void (*add)(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells);
	bool (*finish)(
		const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap);
	bool (*check)(const struct state_field *f, const struct wl_words *words); /* could it be one? NULL: any could */
	/* While probes run, the first so many fixed words never fall; all cells never do. */
	uint32_t rising;
	bool cells_rise;
	/*
	 * Is there a difference of two? Then the first `sums` fixed words add up, and behind them, if `has_wide`, a
	 * number of 128 bits; so do all cells. Other fixed words are ends of what there was, and have no difference.
	 */
	bool has_difference, has_wide;
	uint32_t sums;
	/* How fixed word i is written in a message (spec/partial.md). NULL: all as they are. */
	enum wl_wire (*wire)(const struct state_field *f, uint32_t i);
	const struct wl_entries *entries;
	uint64_t (*weight)(const struct ward_field *merged); /* what keys of a map are ordered by; NULL: `value` */
	/* As ward_field_text, ward_bucket_text and ward_field_results. */
	void (*text)(const struct ward_field *f, char *text, size_t size);
	void (*bucket)(const struct ward_bucket *b, char *text, size_t size);
	void (*results)(const struct ward_field *f, ward_result_fn *fn, void *user);
};

#define DECLARE_ROW(KIND, name) extern const struct wl_kind wl_kind_##name;
WL_KINDS(DECLARE_ROW)
#undef DECLARE_ROW

/* The row of a kind. NULL: there is no such kind. */
const struct wl_kind *wl_kind_at(uint32_t kind);

#endif
