/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was kept in each window. Of what has a difference the reader gives totals at the end of each window, and a
 * window is what came since the end of the one before. What the probe keeps by window is given each time for the last
 * few windows. Where a thread's part of a window has made room for a later one, less is given than the time before: of
 * two states of one entry the one that has seen more events is right.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "uses.h"

enum { MOST_WINDOWS = 10000 };

/* What came in it by totals, and by what the probe has kept of it. */
struct window {
	struct query_window_rows totals, windowed;
	double seconds;
};

struct query_windows {
	const struct query *q;
	struct entry_order order;
	uint64_t first, current; /* numbers; of `current` the end wasn't read yet */
	uint64_t began;          /* counts, when what is in it began */
	struct window *window;   /* of number `first` and on */
	size_t room;
	struct query_window_rows before; /* totals at the beginning of the current window */
	uint64_t seen, seen_in_forgotten;
	struct query_windows_lacks lacks;
};

/* ---- time ---- */

int64_t query_window_step(const struct query *q)
{
	return q->plan.window.step;
}

static double counts_of(const struct query *q, int64_t ns)
{
	return (double)ns * q->options.rate / 1000;
}

/* As the probe computes it (emit_expr.c). */
uint64_t query_window_at(const struct query *q, uint64_t counts)
{
	int64_t step = q->plan.window.step, number = q->options.now / step;
	uint64_t zero = q->options.now_counts - (uint64_t)counts_of(q, q->options.now - number * step);

	return (uint64_t)number + (counts - zero) / (uint64_t)counts_of(q, step);
}

uint64_t query_window_end(const struct query *q, uint64_t window)
{
	int64_t step = q->plan.window.step, number = q->options.now / step;
	uint64_t zero = q->options.now_counts - (uint64_t)counts_of(q, q->options.now - number * step);

	return zero + (window + 1 - (uint64_t)number) * (uint64_t)counts_of(q, step);
}

/* ---- blocks ---- */

static size_t text_size(const struct query_value *v)
{
	return v->kind == QUERY_TEXT ? strlen(v->text) + 1 : 0;
}

void query_window_rows_free(struct query_window_rows *b)
{
	free(b->entries);
	free(b->memory);
	*b = (struct query_window_rows){0};
}

/* Pieces of one allocation. */
struct pieces {
	struct query_value *keys;
	struct query_result *results;
	struct query_bucket *buckets;
	char *texts;
};

static void copy_entry(struct query_entry *to, size_t n_keys, size_t n_results, struct pieces *at)
{
	if (n_keys)
		memcpy(at->keys, to->keys, n_keys * sizeof(*at->keys));
	to->keys = at->keys;
	at->keys += n_keys;
	for (size_t k = 0; k < n_keys; k++) {
		size_t size = text_size(&to->keys[k]);

		if (!size)
			continue;
		to->keys[k].text = memcpy(at->texts, to->keys[k].text, size);
		at->texts += size;
	}
	if (n_results)
		memcpy(at->results, to->results, n_results * sizeof(*at->results));
	to->results = at->results;
	at->results += n_results;
	for (size_t r = 0; r < n_results; r++) {
		size_t n = to->results[r].n;

		if (n)
			memcpy(at->buckets, to->results[r].buckets, n * sizeof(*at->buckets));
		to->results[r].buckets = at->buckets;
		at->buckets += n;
	}
}

/* A copy in ascending order, with all that they point to. */
static bool block_copy(
	const struct query_windows *w, const struct query_entry *entries, size_t n, struct query_window_rows *out)
{
	size_t n_keys = w->order.n_keys, n_results = w->q->plan.n_keeps, buckets = 0, texts = 0;
	struct pieces at;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n_keys; k++)
			texts += text_size(&entries[i].keys[k]);
		for (size_t r = 0; r < n_results; r++)
			buckets += entries[i].results[r].n;
	}
	out->n = n;
	out->entries = calloc(n + 1, sizeof(*out->entries));
	out->memory = malloc(n * (n_keys * sizeof(*at.keys) + n_results * sizeof(*at.results)) +
			     buckets * sizeof(*at.buckets) + texts + 1);
	if (!out->entries || !out->memory) {
		query_window_rows_free(out);
		return false;
	}
	if (n)
		memcpy(out->entries, entries, n * sizeof(*entries));
	qsort_r(out->entries, n, sizeof(*entries), entry_compare, (void *)&w->order);
	at.keys = out->memory;
	at.results = (struct query_result *)(at.keys + n * n_keys);
	at.buckets = (struct query_bucket *)(at.results + n * n_results);
	at.texts = (char *)(at.buckets + buckets);
	for (size_t i = 0; i < n; i++)
		copy_entry(&out->entries[i], n_keys, n_results, &at);
	return true;
}

/* Of both, the entry that has seen more events. */
static bool block_improve(
	const struct query_windows *w, struct query_window_rows *b, const struct query_entry *more, size_t n)
{
	struct query_entry *all = calloc(b->n + n + 1, sizeof(*all));
	struct query_window_rows better = {0};
	size_t kept = 0;
	bool done;

	if (!all)
		return false;
	if (b->n)
		memcpy(all, b->entries, b->n * sizeof(*all));
	if (n)
		memcpy(all + b->n, more, n * sizeof(*all));
	qsort_r(all, b->n + n, sizeof(*all), entry_compare, (void *)&w->order);
	for (size_t i = 0; i < b->n + n; i++) {
		if (kept && entry_compare(&all[kept - 1], &all[i], (void *)&w->order) == 0) {
			if (all[i].seen > all[kept - 1].seen)
				all[kept - 1] = all[i];
		} else {
			all[kept++] = all[i];
		}
	}
	done = block_copy(w, all, kept, &better);
	free(all);
	if (done) {
		query_window_rows_free(b);
		*b = better;
	}
	return done;
}

/* ---- windows ---- */

struct query_windows *query_windows_open(const struct query *q, uint64_t counts)
{
	struct query_windows *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->q = q;
	w->order = entry_order_of(q);
	w->first = w->current = query_window_at(q, counts);
	w->began = counts;
	return w;
}

void query_windows_begin(struct query_windows *w, uint64_t counts)
{
	w->current = query_window_at(w->q, counts);
	w->began = counts;
}

static void window_free(struct window *window)
{
	query_window_rows_free(&window->totals);
	query_window_rows_free(&window->windowed);
}

void query_windows_free(struct query_windows *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->room; i++)
		window_free(&w->window[i]);
	free(w->window);
	query_window_rows_free(&w->before);
	free(w);
}

/* The oldest one makes room. */
static void forget_first(struct query_windows *w)
{
	w->first++;
	if (!w->room)
		return;
	for (size_t i = 0; i < w->window[0].windowed.n; i++)
		w->seen_in_forgotten += w->window[0].windowed.entries[i].seen;
	w->lacks.forgotten += w->window[0].totals.n || w->window[0].windowed.n;
	window_free(&w->window[0]);
	memmove(w->window, w->window + 1, (w->room - 1) * sizeof(*w->window));
	w->window[w->room - 1] = (struct window){0};
}

/* NULL: it isn't kept any more, or there is no memory. */
static struct window *window_at(struct query_windows *w, uint64_t number)
{
	size_t i;

	if (number < w->first || number - w->first > 2 * MOST_WINDOWS)
		return NULL;
	while (number - w->first >= MOST_WINDOWS)
		forget_first(w);
	i = (size_t)(number - w->first);
	if (i >= w->room) {
		size_t room = 2 * i + 16 < MOST_WINDOWS ? 2 * i + 16 : MOST_WINDOWS;
		struct window *grown = realloc(w->window, room * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + w->room, 0, (room - w->room) * sizeof(*grown));
		w->window = grown;
		w->room = room;
	}
	return &w->window[i];
}

static bool close_window(struct query_windows *w, const struct query_window_state *s, uint64_t number)
{
	struct window *window = window_at(w, w->current);
	size_t n = s->n;
	struct query_entry *entries = query_entries_difference(w->q, w->before.entries, w->before.n, s->entries, &n);
	struct query_window_rows now = {0};
	bool done = window && entries && block_copy(w, entries, n, &window->totals) &&
		    block_copy(w, s->entries, s->n, &now);

	free(entries);
	if (!done)
		return false;
	window->seconds = (double)(s->counts - w->began) / w->q->options.rate / 1e6;
	query_window_rows_free(&w->before);
	w->before = now;
	w->began = s->counts;
	if (number > w->current + 1 && !s->last)
		w->lacks.late += number - w->current - 1;
	w->current = number > w->current ? number : w->current + 1;
	window = s->last && number == w->current ? window_at(w, number) : NULL;
	w->current += window && window->windowed.n; /* at the end that one has all there is of it */
	return true;
}

static int by_window(const void *x, const void *y)
{
	const struct query_entry *a = x, *b = y;

	return (a->window > b->window) - (a->window < b->window);
}

/* Window by window. */
static bool add_windowed(struct query_windows *w, const struct query_window_state *s)
{
	struct query_entry *sorted = calloc(s->n_windowed + 1, sizeof(*sorted));
	uint64_t newest = query_window_at(w->q, s->counts) + 1;
	bool done = sorted != NULL;

	if (done && s->n_windowed)
		memcpy(sorted, s->windowed, s->n_windowed * sizeof(*sorted));
	if (done)
		qsort(sorted, s->n_windowed, sizeof(*sorted), by_window);
	for (size_t i = 0, end; done && i < s->n_windowed; i = end) {
		bool is_known = (uint64_t)sorted[i].window <= newest; /* what the target says may be any number */
		struct window *window = is_known ? window_at(w, (uint64_t)sorted[i].window) : NULL;

		for (end = i + 1; end < s->n_windowed && sorted[end].window == sorted[i].window; end++)
			;
		done = !window || block_improve(w, &window->windowed, sorted + i, end - i);
	}
	free(sorted);
	w->seen = s->seen;
	return done;
}

bool query_windows_add(struct query_windows *w, const struct query_window_state *s)
{
	uint64_t number = query_window_at(w->q, s->counts);

	if (!add_windowed(w, s))
		return false;
	return number == w->current && !s->last ? true : close_window(w, s, number);
}

void query_windows_from(struct query_windows *w, uint64_t first)
{
	w->first = w->current = first;
}

bool query_windows_put(
	struct query_windows *w, uint64_t number, const struct query_entry *entries, size_t n, double seconds)
{
	struct window *window = window_at(w, number);
	struct query_window_rows rows = {0};

	if (!window)
		return number < w->first || number - w->first > 2 * MOST_WINDOWS;
	if (!block_copy(w, entries, n, &rows))
		return false;
	query_window_rows_free(&window->totals);
	window->totals = rows;
	window->seconds = seconds;
	if (number >= w->current)
		w->current = number + 1;
	return true;
}

uint64_t query_windows_first(const struct query_windows *w)
{
	return w->first;
}

uint64_t query_windows_open_one(const struct query_windows *w)
{
	return w->current;
}

struct query_windows_lacks query_windows_lacks(const struct query_windows *w)
{
	struct query_windows_lacks lacks = w->lacks;
	uint64_t seen = w->seen_in_forgotten;

	for (size_t i = 0; i < w->room; i++)
		for (size_t k = 0; k < w->window[i].windowed.n; k++)
			seen += w->window[i].windowed.entries[k].seen;
	lacks.unread = w->seen > seen ? w->seen - seen : 0;
	return lacks;
}

/* ---- rows ---- */

/* Entries while they are collected; `memory` has the results of those that were put together. */
struct collected {
	struct query_entry *entries;
	size_t n, room;
	struct piece {
		struct piece *next;
		_Alignas(16) char bytes[];
	} *memory;
	bool has_failed;
};

static void *collected_alloc(struct collected *c, size_t size)
{
	struct piece *p = malloc(sizeof(*p) + size + 1);

	if (!p) {
		c->has_failed = true;
		return NULL;
	}
	p->next = c->memory;
	c->memory = p;
	return p->bytes;
}

static struct query_entry *collected_add(struct collected *c, const struct query_entry *e)
{
	if (c->n == c->room) {
		size_t room = 2 * c->room + 64;
		struct query_entry *grown = realloc(c->entries, room * sizeof(*grown));

		c->has_failed |= !grown;
		if (!grown)
			return NULL;
		c->entries = grown;
		c->room = room;
	}
	c->entries[c->n] = *e;
	return &c->entries[c->n++];
}

static void collected_free(struct collected *c)
{
	while (c->memory) {
		struct piece *next = c->memory->next;

		free(c->memory);
		c->memory = next;
	}
	free(c->entries);
}

/* An entry of a window: its totals, or none, and what was kept of it by window, or nothing. */
static void join_entry(struct query_windows *w, struct collected *c, const struct window *window,
	const struct query_entry *totals, const struct query_entry *windowed)
{
	const struct plan *p = &w->q->plan;
	struct query_result *results = collected_alloc(c, p->n_keeps * sizeof(*results));
	struct query_entry *e = results ? collected_add(c, totals ? totals : windowed) : NULL;

	if (!e)
		return;
	e->results = results;
	e->seconds = window->seconds > 0 ? window->seconds : (double)p->window.step / 1e9; /* read with a later one */
	for (size_t i = 0; i < p->n_keeps; i++) {
		const struct query_entry *from = keep_is_windowed(p, i) ? windowed : totals;

		results[i] = from ? from->results[i] : (struct query_result){.is_empty = true};
	}
}

/* Both are in ascending order. */
static void join_window(struct query_windows *w, struct collected *c, const struct window *window)
{
	const struct query_window_rows *t = &window->totals, *k = &window->windowed;
	size_t i = 0, j = 0;

	while ((i < t->n || j < k->n) && !c->has_failed) {
		int order = i == t->n ? 1 : j == k->n ? -1 : entry_compare(&t->entries[i], &k->entries[j], &w->order);

		join_entry(w, c, window, order <= 0 ? &t->entries[i] : NULL, order >= 0 ? &k->entries[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
}

static void add_buckets(struct collected *c, struct query_result *r, const struct query_result *other)
{
	struct query_bucket *sum = collected_alloc(c, (r->n + other->n) * sizeof(*sum));
	size_t n = 0, i = 0, k = 0;

	while (sum && (i < r->n || k < other->n)) {
		uint64_t turn = (uint64_t)(r->is_signed || other->is_signed) << 63,
			 a = i < r->n ? r->buckets[i].lo + turn : UINT64_MAX,
			 b = k < other->n ? other->buckets[k].lo + turn : UINT64_MAX;

		sum[n] = a <= b && i < r->n ? r->buckets[i] : other->buckets[k];
		if (a == b && i < r->n && k < other->n)
			sum[n].count += other->buckets[k].count;
		i += a <= b && i < r->n;
		k += b <= a && k < other->n;
		n++;
	}
	if (!sum)
		return;
	r->buckets = sum;
	r->n = n;
}

static bool is_less(const struct query_result *r, uint64_t a, uint64_t b)
{
	return r->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void add_result(
	struct collected *c, enum keep_kind kind, struct query_result *r, const struct query_result *other)
{
	if (kind == KEEP_STAT && !other->is_empty) {
		r->min = r->is_empty || is_less(r, other->min, r->min) ? other->min : r->min;
		r->max = r->is_empty || is_less(r, r->max, other->max) ? other->max : r->max;
		r->is_empty = false;
	}
	if (kind == KEEP_LOG2 || kind == KEEP_LINEAR || kind == KEEP_QUANTILES || kind == KEEP_BITS) {
		add_buckets(c, r, other);
		r->count += other->count;
	} else {
		result_add_sum(r, other);
	}
}

/* A sliding window: steps that are put together. */
static void join_steps(struct query_windows *w, struct collected *c, uint64_t last, uint64_t steps)
{
	const struct plan *p = &w->q->plan;
	struct collected parts = {.memory = NULL};
	struct query_entry *sum = NULL;
	uint64_t first = last + 1 - steps;

	for (uint64_t i = first < w->first ? w->first : first; i <= last; i++)
		join_window(w, &parts, &w->window[i - w->first]);
	if (parts.n)
		qsort_r(parts.entries, parts.n, sizeof(*parts.entries), entry_compare, &w->order);
	for (size_t i = 0; i < parts.n && !c->has_failed; i++) {
		const struct query_entry *e = &parts.entries[i];
		struct query_result *results;

		if (sum && entry_compare(sum, e, &w->order) == 0) {
			for (size_t k = 0; k < p->n_keeps; k++)
				add_result(c, p->keeps[k].kind, &sum->results[k], &e->results[k]);
			sum->seconds += e->seconds;
			continue;
		}
		results = collected_alloc(c, p->n_keeps * sizeof(*results));
		sum = results ? collected_add(c, e) : NULL;
		if (!sum)
			break;
		sum->results = memcpy(results, e->results, p->n_keeps * sizeof(*results));
		sum->window = (int64_t)first * p->window.step;
	}
	c->has_failed |= parts.has_failed;
	/* what it points to is that of the windows themselves, or was copied */
	collected_free(&parts);
}

bool query_windows_rows(struct query_windows *w, uint64_t from, uint64_t to, struct query_window_rows *rows)
{
	const struct plan_window *window = &w->q->plan.window;
	struct collected c = {.memory = NULL};
	bool done;

	for (uint64_t i = from < w->first ? w->first : from; i < to && i - w->first < w->room; i++) {
		size_t before = c.n;

		if (window->length != window->step) {
			join_steps(w, &c, i, (uint64_t)(window->length / window->step));
			continue;
		}
		join_window(w, &c, &w->window[i - w->first]);
		for (size_t k = before; k < c.n; k++)
			c.entries[k].window = (int64_t)i * window->step;
	}
	done = !c.has_failed && block_copy(w, c.entries, c.n, rows);
	collected_free(&c);
	return done;
}
