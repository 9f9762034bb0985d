/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of events of different threads. Each side pushes records; they come thread by thread, so they wait here until
 * all that happened before them has come, and are paired in the order of their time. A beginning waits for its end at
 * most `within`. What a pair has is computed as a probe would, and kept as in a probe.
 */
#include <stdlib.h>
#include <string.h>

#include "earlier.h"
#include "emitter.h"
#include "gather.h"
#include "pair.h"

enum { MOST_RECORDS = 1 << 20, BATCH = 4096 };
#define WITHIN INT64_C(10000000000)

struct record {
	uint64_t time, hash;
	bool is_end;
	struct record *next; /* of the beginnings with this hash */
	uint64_t keys[PLAN_KEYS];
	const char *key_texts[PLAN_KEYS];
	struct query_value captures[]; /* n_captures; texts are its own, behind them */
};

enum { BUCKETS = 1 << 16 };

struct query_join {
	const struct query *q;
	struct earlier *earlier;
	struct gather *gather; /* NULL: pairs are rows */
	query_pair_fn *row;
	void *user;
	struct record **waiting; /* of both sides */
	size_t n_waiting, room;
	uint64_t newest, within;
	uint64_t advanced;    /* the newest, when it was last tried to pair what waits */
	struct record **open; /* beginnings, by their hash */
	size_t n_open;
	uint64_t seed;
	uint64_t swept; /* up to what time beginnings are over */
	uint64_t seen;  /* events that were kept */
	struct query_pairs counts;
	uint64_t left_out[QUERY_DIVISIONS], lost;
	bool failed; /* no memory */
};

bool query_is_joined(const struct query *q)
{
	return q->plan.pair.kind == PAIR_RECORDS;
}

struct query_join *query_join_open(const struct query *q, query_pair_fn *row, void *user)
{
	struct query_join *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->q = q;
	j->row = row;
	j->seed = random_seed();
	j->user = user;
	j->within = counts_of(q, q->plan.pair.within ? q->plan.pair.within : WITHIN);
	j->open = calloc(BUCKETS, sizeof(struct record *));
	j->gather = q->plan.is_records ? NULL : gather_open(q);
	j->earlier = earlier_open(q);
	if (j->open && j->earlier && (j->gather || q->plan.is_records))
		return j;
	query_join_free(j);
	return NULL;
}

void query_join_free(struct query_join *j)
{
	for (size_t i = 0; j && j->open && i < BUCKETS; i++)
		for (struct record *r = j->open[i], *next; r; r = next) {
			next = r->next;
			free(r);
		}
	for (size_t i = 0; j && i < j->n_waiting; i++)
		free(j->waiting[i]);
	if (j) {
		free(j->waiting);
		free(j->open);
		gather_free(j->gather);
		earlier_free(j->earlier);
	}
	free(j);
}

/* ---- records ---- */

static struct record *copy_record(const struct query *q, uint64_t seed, const struct query_record *from)
{
	size_t n = q->plan.n_captures, bytes = sizeof(struct record) + n * sizeof(struct query_value);
	struct record *r;
	char *texts;

	for (size_t i = 0; i < n; i++)
		bytes += from->captures[i].text ? strlen(from->captures[i].text) + 1 : 0;
	for (size_t i = 0; i < q->plan.pair.n_keys; i++)
		bytes += from->key_texts[i] ? strlen(from->key_texts[i]) + 1 : 0;
	r = calloc(1, bytes);
	if (!r)
		return NULL;
	*r = (struct record){.time = from->time, .is_end = from->is_end};
	memcpy(r->keys, from->keys, sizeof(r->keys));
	memcpy(r->captures, from->captures, n * sizeof(struct query_value));
	texts = (char *)(r->captures + n);
	for (size_t i = 0; i < n; i++) {
		size_t length = from->captures[i].text ? strlen(from->captures[i].text) + 1 : 0;

		if (!length)
			continue;
		r->captures[i].text = memcpy(texts, from->captures[i].text, length);
		texts += length;
	}
	for (size_t i = 0; i < q->plan.pair.n_keys; i++) {
		size_t length = from->key_texts[i] ? strlen(from->key_texts[i]) + 1 : 0;

		if (!length)
			continue;
		r->key_texts[i] = memcpy(texts, from->key_texts[i], length);
		texts += length;
	}
	r->hash = seed;
	for (size_t i = 0; i < q->plan.pair.n_keys; i++) {
		r->hash = (r->hash ^ r->keys[i]) * 0x9e3779b97f4a7c15;
		r->hash ^= r->hash >> 29;
		for (const char *at = r->key_texts[i]; at && *at; at++)
			r->hash = (r->hash ^ (unsigned char)*at) * 0x9e3779b97f4a7c15;
	}
	return r;
}

static int by_time(const void *x, const void *y)
{
	const struct record *a = *(struct record *const *)x, *b = *(struct record *const *)y;

	if (a->time != b->time)
		return (a->time > b->time) - (a->time < b->time);
	return a->is_end - b->is_end;
}

/* ---- pairs ---- */

/* An event of which all values are known. */
static void on_event(struct query_join *j, const struct query_value *captures, uint64_t time)
{
	const struct plan *p = &j->q->plan;
	struct query_value row[PLAN_COLUMNS] = {{0}};
	struct interpreter in = {.q = j->q, .captures = captures, .earlier = j->earlier, .time = time};

	for (size_t i = 0; i < p->n_filters && !in.zero; i++)
		if (!query_compute(&in, p->filters[i]) && !in.zero)
			return;
	for (size_t i = 0; !in.zero && p->is_records && i < p->n_columns; i++) {
		const struct expr *value = p->columns[i].value;

		row[i] = (struct query_value){.kind = QUERY_UNSIGNED};
		if (column_is_constant(j->q, i))
			continue;
		if (is_text_part(value))
			row[i] = (struct query_value){.kind = QUERY_TEXT, .text = query_compute_text(&in, value)};
		else
			row[i].number = query_compute(&in, value);
	}
	if (!in.zero && !p->is_records && !gather_add(j->gather, &in))
		j->failed = true;
	j->seen += !in.zero;
	if (in.zero)
		j->left_out[in.zero - 1]++;
	else if (p->is_records)
		j->row(j->user, row);
}

/* Both events: their values beside each other. */
static void on_pair(struct query_join *j, const struct record *begin, const struct record *end)
{
	const struct plan *p = &j->q->plan;
	struct query_value both[PLAN_CAPTURES];

	for (size_t i = 0; i < p->n_captures; i++)
		both[i] = (p->captures[i].side == SIDE_FIRST ? begin : end)->captures[i];
	on_event(j, both, end->time);
}

static bool same_key(const struct query *q, const struct record *a, const struct record *b)
{
	for (size_t i = 0; i < q->plan.pair.n_keys; i++)
		if (a->keys[i] != b->keys[i] || !a->key_texts[i] != !b->key_texts[i] ||
			(a->key_texts[i] && strcmp(a->key_texts[i], b->key_texts[i]) != 0))
			return false;
	return true;
}

/* The beginning that this record's key has: where it hangs; *NULL: none. */
static struct record **find_open(struct query_join *j, const struct record *r)
{
	struct record **at = &j->open[r->hash >> 48 & (BUCKETS - 1)];

	while (*at && !same_key(j->q, *at, r))
		at = &(*at)->next;
	return at;
}

static void close_one(struct query_join *j, struct record **at)
{
	struct record *r = *at;

	*at = r->next;
	j->n_open--;
	free(r);
}

/* Beginnings whose time is over. All are looked at once in each such time. */
static void beginnings_sweep(struct query_join *j, uint64_t time)
{
	if (time < j->swept || time - j->swept < j->within)
		return;
	j->swept = time;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct record **at = &j->open[i]; *at;)
			if (time - (*at)->time > j->within)
				close_one(j, at);
			else
				at = &(*at)->next;
}

/* Takes the record. */
static void pair_record(struct query_join *j, struct record *r)
{
	struct record **at;

	beginnings_sweep(j, r->time);
	at = find_open(j, r);
	if (!r->is_end) {
		if (*at)
			close_one(j, at);
		r->next = j->open[r->hash >> 48 & (BUCKETS - 1)];
		j->open[r->hash >> 48 & (BUCKETS - 1)] = r;
		j->n_open++;
		return;
	}
	if (*at && r->time - (*at)->time <= j->within) {
		j->counts.pairs++;
		on_pair(j, *at, r);
		close_one(j, at);
	}
	free(r);
}

static void advance(struct query_join *j, uint64_t time)
{
	size_t done = 0;

	if (!j->n_waiting)
		return;
	qsort(j->waiting, j->n_waiting, sizeof(struct record *), by_time);
	while (done < j->n_waiting && j->waiting[done]->time <= time)
		pair_record(j, j->waiting[done++]);
	j->n_waiting -= done;
	memmove(j->waiting, j->waiting + done, j->n_waiting * sizeof(struct record *));
}

/* What is a second old has been read of all threads. */
static void advance_safely(struct query_join *j)
{
	uint64_t second = counts_of(j->q, 1000000000);

	j->advanced = j->newest;
	if (j->newest > second)
		advance(j, j->newest - second);
}

/*
 * Room for one more. What can be paired is; there is more room at once if that leaves more than half of it, so that
 * sorting stays in proportion. Where there is no more, it is tried again an eighth of a second later.
 */
static bool make_room(struct query_join *j, bool *full)
{
	struct record **more;

	*full = j->n_waiting + j->n_open >= MOST_RECORDS;
	if (*full && j->newest - j->advanced > counts_of(j->q, 125000000)) {
		advance_safely(j);
		*full = j->n_waiting + j->n_open >= MOST_RECORDS;
	}
	if (*full || j->n_waiting < j->room)
		return true;
	advance_safely(j);
	if (j->room && j->n_waiting <= j->room / 2)
		return true;
	more = realloc(j->waiting, (j->room ? j->room * 2 : BATCH) * sizeof(struct record *));
	if (!more)
		return false;
	j->waiting = more;
	j->room = j->room ? j->room * 2 : BATCH;
	return true;
}

bool query_join_add(struct query_join *j, const struct query_record *from)
{
	struct record *r;
	bool full;

	if (j->q->plan.pair.is_alone) { /* it has no partner */
		on_event(j, from->captures, from->time);
		return !j->failed;
	}
	*(from->is_end ? &j->counts.ends : &j->counts.begins) += 1;
	j->newest = from->time > j->newest ? from->time : j->newest;
	if (!make_room(j, &full))
		return false;
	if (full) {
		j->lost++;
		return true;
	}
	r = copy_record(j->q, j->seed, from);
	if (r)
		j->waiting[j->n_waiting++] = r;
	return r && !j->failed;
}

bool query_join_take(struct query_join *j, const struct query_session *session, bool last, struct query_joined *out)
{
	if (last)
		advance(j, UINT64_MAX);
	else
		advance_safely(j);
	*out = (struct query_joined){.pairs = j->counts, .lost = j->lost};
	memcpy(out->left_out, j->left_out, sizeof(out->left_out));
	for (size_t i = 0; i < j->q->plan.n_gates; i++)
		out->gates[i] = earlier_gate(j->earlier, i);
	if (j->gather)
		out->entries = gather_entries(j->gather, session, &out->n, &out->n_windowed);
	out->seen = j->seen;
	if (out->entries)
		gather_forget(j->gather);
	return !j->failed && (out->entries || !j->gather);
}
