/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's source while it is written. emit.c describes how. */
#ifndef WARD_QUERY_EMITTER_H
#define WARD_QUERY_EMITTER_H

#include "emit.h"
#include "plan.h"

/* Bytes of a thread's state. */
enum { STATE_USER = 4 << 20, STATE_KERNEL = 1 << 20 };

struct emitter {
	FILE *out;
	const struct query *q;
	struct plan *plan; /* its own, where places of divisions are noted */
	struct plan *main; /* that has the settings of the probe */
	unsigned tested;   /* up to which of them it was tested */
	unsigned blocks;   /* which ones have been read */
	struct query_error *err;
};

/* emit_expr.c */
/* What follows is of that place in the text. */
void emit_line(struct emitter *e, struct query_span span);
/* Counts of the time stamp counter in so many nanoseconds. */
uint64_t counts_of(const struct query *q, int64_t ns);
/* The same in what the reader computes with: times of a module's records are nanoseconds. */
uint64_t time_counts(const struct query *q, int64_t ns);
/* A constant as a probe has it: durations and instants are counts. */
uint64_t constant_value(const struct query *q, const struct expr *e);
/* Nanoseconds of 2^32 counts. */
uint64_t counts_scale(const struct query *q);
const char *c_type(bool is_signed);
/* How many such periods, in nanoseconds, there were before the event since 1970. */
void emit_period(struct emitter *e, int64_t period, bool is_given);
void emit_expr(struct emitter *e, const struct expr *x);
/* As a long, or an unsigned long. */
void emit_as(struct emitter *e, bool is_signed, const struct expr *x);
/* The same; of a duration nanoseconds. */
void emit_value(struct emitter *e, bool is_signed, const struct expr *x);
/* Then what is written may set `zero`. */
bool may_divide_by_zero(const struct expr *x);

/* blocks.c: read what the value is a part of, if that wasn't done; and a number of the target's memory. */
void emit_blocks(struct emitter *e, const struct expr *x);
void emit_read(struct emitter *e, const struct expr *x);

/* emit_text.c */
void emit_text(struct emitter *e, const char *text);
/* Copy a text of the target to an array. */
void emit_text_copy(struct emitter *e, const char *to, const struct expr *text);
/* Is a text a constant one, or does it begin so? */
void emit_match(struct emitter *e, const struct expr *x);
void emit_length(struct emitter *e, const struct expr *x);

/* emit_key.c */
/* How many parts of the key are in the probe. */
size_t live_keys(const struct query *q);
/* Is the key one number? */
bool is_plain_key(const struct query *q);
bool key_is_signed(const struct plan_key *k);
const char *key_type(const struct plan_key *k);
void emit_key_type(struct emitter *e);
void emit_key_members(struct emitter *e);
void emit_key(struct emitter *e);
/* The type of records, their ring as members of the state, and the record of an event. */
void emit_record_type(struct emitter *e);
void emit_record_member(struct emitter *e);
/* R13: each thread stops after as many rows as are wanted. */
bool takes_early(const struct query *q);
void emit_ring(struct emitter *e, unsigned size);
void emit_record(struct emitter *e);

/* emit_window.c: what is kept by window, if anything is: types, members of the state, and updates. */
void emit_window_types(struct emitter *e);
void emit_window_members(struct emitter *e);
void emit_window_update(struct emitter *e);

/* emit_keep.c */
/* Is a count, which no other one counts, all that is kept? */
bool is_count_alone(const struct plan *p);
/* Bytes of it in the state. */
uint64_t keep_size(const struct plan *p, size_t i);
void emit_keep_member(struct emitter *e, size_t i);
/* Values, before anything is changed; then the updates, of members behind `at`. */
void emit_keep_value(struct emitter *e, size_t i);
void emit_update(struct emitter *e, size_t i, const char *at);

/* use.c: an aggregate in C: its file, its struct as a member of the state, what it takes, and the update. */
void emit_use_files(struct emitter *e);
void emit_use_member(struct emitter *e, size_t i);
void emit_use_values(struct emitter *e, size_t i);
void emit_use_update(struct emitter *e, size_t i, const char *at);
bool uses_divide(const struct plan *p);

/* emit_other.c: the other table's part of a probe, with names of its own. */
void emit_other(struct emitter *e, const char *text);
void emit_other_entries(struct emitter *e);

/* emit.c */
/* A condition, which an event passes or is left out; `i` is its number in the function. */
void emit_filter(struct emitter *e, const struct expr *filter, size_t i);
/* An event of which something can't be computed is left out, and counted. */
void emit_zero_test(struct emitter *e);
bool filters_divide(struct expr *const *filters, size_t n);

/* emit_pair.c */
/* Of the events on this side: do they divide by what isn't known? */
bool pair_divides(const struct plan *p, size_t side);
void emit_pair_types(struct emitter *e);
void emit_pair_members(struct emitter *e);
/* Records of both sides, for the reader: the functions of first and second events. */
void emit_sides(struct emitter *e);
/* What the reader computes of them is written as a probe's, and thrown away: it can't be more than a probe can. */
void emit_reader(struct emitter *e);
/* The function of first events; and in that of second ones: conditions, and the first event, or return. */
void emit_first(struct emitter *e);
void emit_meet(struct emitter *e);

#endif
