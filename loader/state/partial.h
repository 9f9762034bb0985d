/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partials in memory (ward/partial.h). Internal to loader/state.
 *
 * A field of a partial is rows of words. A field without parts is one row, which has the words that its kind says
 * (kinds/kind.h). A map, and a long array, have a row for each key: words beside the key, the parts of the key, then
 * those of the value. Rows ascend by key. So two maps are added, and checked, in one pass over both. Rings keep their
 * records as rows, in the order in which they are shown.
 *
 * All of a partial's memory is charged to its budget.
 */
#ifndef WARD_LOADER_STATE_PARTIAL_H
#define WARD_LOADER_STATE_PARTIAL_H

#include "ward/partial.h"

#include "loader/state/kinds/kind.h"
#include "merge.h"

struct budget {
	size_t used, most;
	bool is_exceeded;
};

/* ---- Rows: rows.c ---- */

/* Once there was no memory, `has_failed` is set, and nothing is added any more. */
struct rows {
	struct budget *budget;
	uint64_t *words;
	size_t n_words, room_words;
	size_t *at; /* where each row starts */
	size_t n, room;
	bool has_failed;
};

/* Start a row; add n zeroed words to the last one. NULL without memory. */
void rows_begin(struct rows *rows);
uint64_t *rows_put(struct rows *rows, size_t n);
static inline void rows_put_word(struct rows *rows, uint64_t word)
{
	uint64_t *at = rows->n_words < rows->room_words && !rows->has_failed ? rows->words + rows->n_words++
									     : rows_put(rows, 1);
	if (at)
		*at = word;
}
void rows_copy(struct rows *rows, const uint64_t *words, size_t n);
/* Copy all rows of another. False without memory. */
bool rows_copy_all(struct rows *rows, const struct rows *from);
/* Have room for so many rows and words more, if there is; else it fails when they come. */
void rows_reserve(struct rows *rows, size_t n, size_t n_words);
size_t rows_memory(const struct rows *rows);
void rows_free(struct rows *rows);

static inline const uint64_t *rows_at(const struct rows *rows, size_t i)
{
	return rows->words + rows->at[i];
}
static inline size_t rows_length(const struct rows *rows, size_t i)
{
	return (i + 1 < rows->n ? rows->at[i + 1] : rows->n_words) - rows->at[i];
}

/* ---- Parts of rows: part.c ---- */

/* So many words; if there may be cells, a word that says which there are, and these. */
struct part_form {
	uint32_t fixed, cells;
};

/*
 * A key is words that compare as the key does: a text, or a name, has cells. `is_named`: addresses and sites are
 * names.
 */
struct part_form part_form(const struct state_field *part, bool is_named);
bool part_is_name(const struct state_field *part, bool is_named);

/* A name of an address has before it which place it is (partial_fold.c), and behind that this character. */
enum { PART_PLACE_END = 0x1f };

/* Read a part. Returns where the next one starts. */
const uint64_t *part_read(struct part_form form, const uint64_t *at, struct wl_words *out);
/* Write one: the fixed words, then n cells from `first` on. Cells at both ends that are 0 are left out. */
void part_put(struct rows *rows, struct part_form form, const uint64_t *words, size_t first, size_t n);
/* Write a text of at most n bytes as one that has nothing but cells. */
void part_put_text(struct rows *rows, const char *text, size_t n);
/* Compare the keys of two rows of a field, and skip one. They point to where it starts. */
struct partial_field;
int part_compare_keys(const struct partial_field *p, const uint64_t *a, const uint64_t *b);
const uint64_t *part_skip_key(const struct partial_field *p, const uint64_t *at);

/* ---- Partials: partial.c ---- */

/* Words of a row that are beside its key. */
enum { ROW_THREAD, ROW_WEIGHT, ROW_ERROR };

struct partial_field {
	const struct state_field *f;     /* the schema's */
	const struct state_field *parts; /* keys, then values; the schema's, or `own` */
	struct state_field *own;         /* of fields whose parts are not in the schema; or NULL */
	uint32_t n_keys, n_values;
	struct part_form *forms; /* of the parts */
	uint32_t beside;         /* how many words are beside the key */
	struct rows rows;
	struct rows other; /* a row or none: the value of keys without room */
	uint64_t lost, evicted, events, floor;
	uint64_t cut; /* rows that had no room in a message or in memory */
};

struct ward_partial {
	const ward_schema *schema;
	bool is_named;
	struct budget budget;
	struct ward_partial_notes notes;
	size_t n;
	struct partial_field *fields;
};

/* One of no state. NULL without memory. */
ward_partial *partial_new(const ward_schema *schema, bool is_named, size_t most);
/* Exchange what two of one schema hold; each keeps its own budget. */
void partial_swap(ward_partial *a, ward_partial *b);
/* The same for one field. */
void partial_swap_field(ward_partial *a, ward_partial *b, size_t i);
/* Does the schema fit states of this size? Else WARD_E_USAGE. */
int partial_fits(const ward_schema *schema, size_t state_size, struct ward_error *err);
/* The caller's limits, with defaults for what isn't given. WARD_E_USAGE. */
int partial_limits(const struct ward_partial_limits *limits, struct ward_partial_limits *out, struct ward_error *err);
/* Fill *err by what has failed. Returns its status. */
int partial_fail(const ward_partial *p, const char *what, struct ward_error *err);

/* How many entries of a map's queue were taken before, by thread. */
struct spill_seen {
	uint64_t taken;
	bool is_known; /* the reader has met the thread */
};

/*
 * partial_take.c: fill a new partial from states. `seen`: by field, NULL or by thread; NULL: the states say what was
 * taken. False without memory; so all that follow.
 */
bool partial_take(ward_partial *p, const struct states *states, ward_names *names, struct spill_seen *const *seen);

/* partial_take.c, snapshot_merge.c: as ward_partial_merge and ward_snapshot_merge, with what threads share. */
int partial_merge(const ward_schema *schema, ward_names *names, const struct states *states, size_t state_size,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err);
int snapshot_merge(const ward_schema *schema, const struct states *states, size_t state_size, ward_snapshot **out,
	struct ward_error *err);

/* partial_add.c: can they be added? */
bool partial_same_shape(const ward_partial *x, const ward_partial *y);
/* Put the sum of the values of two rows, which start at x and y, into `to`. */
bool partial_add_values(
	const ward_partial *p, struct partial_field *field, struct rows *to, const uint64_t *x, const uint64_t *y);

/* Add the sum of two rows as one row. */
bool partial_add_row(const ward_partial *p, struct partial_field *to, const uint64_t *x, const uint64_t *y);

/*
 * partial_fold.c: are there addresses in its keys that are names? Then `to` gets its rows by what the names show. `to`
 * is a copy of the field without rows.
 */
bool partial_is_folded(const ward_partial *p, const struct partial_field *field);
bool partial_fold(const ward_partial *p, const struct partial_field *from, struct partial_field *to);

/*
 * partial_by.c: has each key of the field a row of its own, or does it become a map by machine? Else it stays as it
 * is.
 */
enum { PARTIAL_BY_MOST = 256 }; /* characters of the machine's name */
bool partial_is_divided(const struct state_field *f);

/* partial_cut.c: a copy that fits the limits, without the lightest rows. */
int partial_cut(
	const ward_partial *p, const struct ward_partial_limits *most, ward_partial **out, struct ward_error *err);
/* partial_pack.c: how many bytes it has as a message. 0 without memory. */
size_t partial_packed_size(const ward_partial *p);

/* partial_finish.c: the rows, the heaviest one first. */
struct weighed {
	uint64_t weight;
	size_t row;
};
bool partial_weigh(const struct partial_field *field, struct weighed *rows);
/* The result of a field. */
bool partial_finish_field(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap);

/* merge_ring.c */
bool ring_take(struct partial_field *p, const struct states *states);
int ring_compare(const struct partial_field *p, const uint64_t *a, const uint64_t *b);
bool ring_finish(const struct partial_field *p, struct ward_field *out, struct heap *heap);

#endif
