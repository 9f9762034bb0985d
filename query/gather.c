/* SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "emit.h"
#include "uses.h"

enum { MOST_KEYS = 1 << 20, LOG2_BUCKETS = 65, BIT_BUCKETS = 64 };

/* What is kept of one number. Different ones: a set, of which 0 is apart. */
struct kept {
	uint64_t count, min, max;
	unsigned __int128 sum;
	uint64_t *buckets; /* or the set, n_set of room_set */
	size_t n_set, room_set;
	bool has_zero;
};

struct group {
	struct query_value keys[PLAN_KEYS];
	uint64_t hash, window, seen; /* window: its number, where the query has windows */
	struct kept *keeps;
};

struct gather {
	const struct query *q;
	struct group *groups;
	size_t n, room;
	uint32_t *table; /* of 2 × room: 1 + a group's number, or 0 */
	uint64_t seed;   /* of hashes: the target, which has the keys, can't make them collide */
	uint64_t newest; /* window */
};

uint64_t random_seed(void)
{
	uint64_t seed = 1;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uintptr_t)&seed;
	return seed;
}

struct gather *gather_open(const struct query *q)
{
	struct gather *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->q = q;
	g->seed = random_seed();
	return g;
}

static void group_free(const struct gather *g, struct group *group)
{
	for (size_t k = 0; k < g->q->plan.n_keeps; k++)
		free(group->keeps[k].buckets);
	for (size_t k = 0; k < PLAN_KEYS; k++)
		free((char *)group->keys[k].text);
	free(group->keeps);
}

void gather_free(struct gather *g)
{
	for (size_t i = 0; g && i < g->n; i++)
		group_free(g, &g->groups[i]);
	if (g) {
		free(g->groups);
		free(g->table);
	}
	free(g);
}

/* ---- groups ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static uint64_t hash_keys(uint64_t seed, const struct query_value *keys, size_t n)
{
	uint64_t hash = seed;

	for (size_t i = 0; i < n; i++) {
		hash = mix(hash, keys[i].number);
		for (const char *p = keys[i].text; p && *p; p++)
			hash = mix(hash, (unsigned char)*p);
	}
	return hash;
}

static bool same_keys(const struct query_value *a, const struct query_value *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].number != b[i].number || (a[i].text && strcmp(a[i].text, b[i].text) != 0))
			return false;
	return true;
}

/* Every group where its hash says. */
static void table_fill(struct gather *g)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t at = g->groups[i].hash & (g->room * 2 - 1);

		while (g->table[at])
			at = (at + 1) & (g->room * 2 - 1);
		g->table[at] = (uint32_t)i + 1;
	}
}

static bool gather_grow(struct gather *g)
{
	size_t room = g->room ? g->room * 2 : 64;
	struct group *groups = realloc(g->groups, room * sizeof(*groups));
	uint32_t *table = calloc(room * 2, sizeof(*table));

	if (groups)
		g->groups = groups;
	if (!groups || !table) {
		free(table);
		return false;
	}
	free(g->table);
	g->table = table;
	g->room = room;
	table_fill(g);
	return true;
}

/* Texts are the group's own. */
static bool copy_keys(struct group *group, const struct query_value *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		group->keys[i] = keys[i];
		if (keys[i].text && !(group->keys[i].text = strdup(keys[i].text)))
			return false;
	}
	return true;
}

/* NULL: no memory, or more keys than there may be. */
static struct group *find_group(struct gather *g, const struct query_value *keys, size_t n, uint64_t window)
{
	uint64_t hash = mix(hash_keys(g->seed, keys, n), window);
	struct group *group;
	size_t at;

	if (g->n * 2 >= g->room && (g->n == MOST_KEYS || !gather_grow(g)))
		return NULL;
	for (at = hash & (g->room * 2 - 1); g->table[at]; at = (at + 1) & (g->room * 2 - 1)) {
		group = &g->groups[g->table[at] - 1];
		if (group->hash == hash && group->window == window && same_keys(group->keys, keys, n))
			return group;
	}
	group = &g->groups[g->n];
	*group = (struct group){
		.hash = hash, .window = window, .keeps = calloc(g->q->plan.n_keeps + 1, sizeof(struct kept))};
	if (!group->keeps || !copy_keys(group, keys, n))
		return NULL;
	g->table[at] = (uint32_t)++g->n;
	return group;
}

/* ---- numbers ---- */

static bool is_signed(const struct plan_keep *k)
{
	return k->of && k->of->type.kind == TYPE_INT && k->of->type.is_signed;
}

static size_t linear_steps(const struct plan_keep *k)
{
	return (size_t)((k->hi - k->lo + k->step - 1) / k->step);
}

static size_t bucket_count(const struct plan_keep *k)
{
	switch (k->kind) {
	case KEEP_LOG2: return LOG2_BUCKETS;
	case KEEP_LINEAR: return linear_steps(k) + 2;
	case KEEP_BITS: return BIT_BUCKETS;
	case KEEP_QUANTILES: return (65 - (size_t)k->step) << k->step;
	default: return 0;
	}
}

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* As ward_quantiles_add and ward_linear_add find them. */
static size_t bucket_of(const struct plan_keep *k, uint64_t v)
{
	unsigned bits = (unsigned)k->step, shift;

	if (k->kind == KEEP_LOG2)
		return bits_of(v);
	if (k->kind == KEEP_LINEAR) {
		int64_t x = (int64_t)v;
		uint64_t i = (v - (uint64_t)k->lo) / (uint64_t)k->step + 1;

		return x < k->lo ? 0 : i > linear_steps(k) ? linear_steps(k) + 1 : (size_t)i;
	}
	if (v >> bits == 0)
		return v;
	shift = bits_of(v) - bits - 1;
	return ((size_t)(shift + 1) << bits) + (v >> shift & ((UINT64_C(1) << bits) - 1));
}

static bool add_to_set(uint64_t seed, struct kept *t, uint64_t v)
{
	size_t at;

	if (v == 0) {
		t->has_zero = true;
		return true;
	}
	if (t->n_set * 2 >= t->room_set) {
		struct kept more = {.room_set = t->room_set ? t->room_set * 2 : 64};

		more.buckets = calloc(more.room_set, sizeof(v));
		if (!more.buckets)
			return false;
		for (size_t i = 0; i < t->room_set; i++)
			if (t->buckets[i])
				add_to_set(seed, &more, t->buckets[i]);
		free(t->buckets);
		t->buckets = more.buckets;
		t->room_set = more.room_set;
	}
	for (at = mix(seed, v) & (t->room_set - 1); t->buckets[at]; at = (at + 1) & (t->room_set - 1))
		if (t->buckets[at] == v)
			return true;
	t->buckets[at] = v;
	t->n_set++;
	return true;
}

static bool count_buckets(uint64_t seed, const struct plan_keep *k, struct kept *t, uint64_t v)
{
	if (k->kind == KEEP_DISTINCT)
		return add_to_set(seed, t, v);
	if (!bucket_count(k))
		return true;
	if (!t->buckets && !(t->buckets = calloc(bucket_count(k), sizeof(*t->buckets))))
		return false;
	for (unsigned i = 0; k->kind == KEEP_BITS && i < BIT_BUCKETS; i++)
		t->buckets[i] += v >> i & 1;
	if (k->kind != KEEP_BITS)
		t->buckets[bucket_of(k, v)]++;
	return true;
}

static bool keep_number(uint64_t seed, const struct plan_keep *k, struct kept *t, uint64_t v)
{
	bool s = is_signed(k), less = s ? (int64_t)v < (int64_t)t->min : v < t->min,
	     more = s ? (int64_t)v > (int64_t)t->max : v > t->max;

	if (k->of) {
		t->min = t->count == 0 || less ? v : t->min;
		t->max = t->count == 0 || more ? v : t->max;
		t->sum += s ? (unsigned __int128)(__int128)(int64_t)v : v;
	}
	t->count++;
	return count_buckets(seed, k, t, v);
}

bool gather_add(struct gather *g, struct interpreter *in)
{
	const struct plan *p = &g->q->plan;
	struct query_value keys[PLAN_KEYS] = {{0}};
	uint64_t values[PLAN_KEEPS];
	bool wanted[PLAN_KEEPS];
	struct group *group;
	uint64_t window;
	size_t n = 0;

	for (size_t i = 0; i < p->n_keys; i++) {
		if (key_is_constant(g->q, i))
			continue;
		keys[n].kind = is_text_part(p->keys[i].of) ? QUERY_TEXT : QUERY_UNSIGNED;
		if (keys[n].kind == QUERY_TEXT)
			keys[n].text = query_compute_text(in, p->keys[i].of);
		else
			keys[n].number = query_compute_value(in, p->keys[i].of);
		n++;
	}
	for (size_t i = 0; i < p->n_keeps; i++) {
		const struct plan_keep *k = &p->keeps[i];

		wanted[i] = keep_is_there(k) && (!k->when || query_compute(in, k->when));
		values[i] = !k->of                                              ? 0
			    : k->kind == KEEP_LOG2 || k->kind == KEEP_QUANTILES ? query_compute_value(in, k->of)
										: query_compute(in, k->of);
	}
	if (in->zero)
		return true;
	window = p->window.step ? query_window_at(g->q, in->time) : 0;
	g->newest = window > g->newest ? window : g->newest;
	group = find_group(g, keys, n, window);
	if (group)
		group->seen++;
	for (size_t i = 0; group && i < p->n_keeps; i++)
		if (wanted[i] && !keep_number(g->seed, &p->keeps[i], &group->keeps[i], values[i]))
			return false;
	return group != NULL;
}

/* ---- results ---- */

static struct query_bucket bucket_bounds(const struct plan_keep *k, size_t i, uint64_t count)
{
	struct query_bucket b = {i, i, count};
	unsigned bits = (unsigned)k->step;

	if (k->kind == KEEP_LOG2 && i) {
		b.lo = UINT64_C(1) << (i - 1);
		b.hi = b.lo * 2 - 1;
	} else if (k->kind == KEEP_LINEAR) {
		b.lo = i ? (uint64_t)(k->lo + (int64_t)(i - 1) * k->step) : (uint64_t)INT64_MIN;
		b.hi = i > linear_steps(k) ? INT64_MAX : (uint64_t)(k->lo + (int64_t)i * k->step - 1);
	} else if (k->kind == KEEP_QUANTILES && i >> bits) {
		unsigned row = (unsigned)(i >> bits) - 1;

		b.lo = ((UINT64_C(1) << bits) + (i & ((UINT64_C(1) << bits) - 1))) << row;
		b.hi = b.lo + (UINT64_C(1) << row) - 1;
	}
	return b;
}

/* Buckets from the first to the last that isn't empty; of quantiles, and of bits, those that aren't. */
static size_t list_buckets(const struct plan_keep *k, const struct kept *t, struct query_bucket *to)
{
	size_t n = bucket_count(k), first = 0, last = n, listed = 0;
	bool all = k->kind == KEEP_LOG2 || k->kind == KEEP_LINEAR;

	if (!t->buckets || !n)
		return 0;
	while (first < n && !t->buckets[first])
		first++;
	while (last > first && !t->buckets[last - 1])
		last--;
	for (size_t i = first; i < last; i++)
		if (all || t->buckets[i])
			to[listed++] = bucket_bounds(k, i, t->buckets[i]);
	return listed;
}

static struct query_result result_of(const struct plan_keep *k, const struct kept *t)
{
	struct query_result r = {.count = t->count,
		.number = (uint64_t)t->sum,
		.high = (uint64_t)(t->sum >> 64),
		.min = t->min,
		.max = t->max,
		.is_signed = is_signed(k),
		.is_empty = t->count == 0};

	if (t->count)
		r.mean = (is_signed(k) ? (double)(__int128)t->sum : (double)t->sum) / (double)t->count;
	if (k->kind == KEEP_COUNT)
		r.number = t->count;
	if (k->kind == KEEP_DISTINCT)
		r.number = t->n_set + t->has_zero;
	return r;
}

static size_t text_bytes(const struct group *group)
{
	size_t bytes = 0;

	for (size_t k = 0; k < PLAN_KEYS; k++)
		bytes += group->keys[k].text ? strlen(group->keys[k].text) + 1 : 0;
	return bytes;
}

static size_t group_bytes(const struct plan *p, const struct group *group)
{
	size_t bytes = sizeof(group->keys) + p->n_keeps * sizeof(struct query_result) + text_bytes(group) + 8;

	for (size_t k = 0; k < p->n_keeps; k++)
		if (group->keeps[k].buckets)
			bytes += bucket_count(&p->keeps[k]) * sizeof(struct query_bucket);
	return bytes;
}

/* An entry, whose parts follow each other at `at`. Returns the end. */
static char *copy_group(const struct plan *p, const struct group *group, char *at, struct query_entry *entry)
{
	entry->window = (int64_t)group->window;
	entry->seen = group->seen;
	entry->keys = (struct query_value *)at;
	memcpy(at, group->keys, sizeof(group->keys));
	at += sizeof(group->keys);
	entry->results = (struct query_result *)at;
	at += p->n_keeps * sizeof(struct query_result);
	for (size_t k = 0; k < p->n_keeps; k++) {
		entry->results[k] = result_of(&p->keeps[k], &group->keeps[k]);
		entry->results[k].buckets = (struct query_bucket *)at;
		entry->results[k].n = list_buckets(&p->keeps[k], &group->keeps[k], (struct query_bucket *)at);
		at += entry->results[k].n * sizeof(struct query_bucket);
	}
	for (size_t k = 0; k < PLAN_KEYS; k++) {
		size_t n = group->keys[k].text ? strlen(group->keys[k].text) + 1 : 0;

		if (!n)
			continue;
		entry->keys[k].text = memcpy(at, group->keys[k].text, n);
		at += n;
	}
	return at + (8 - (uintptr_t)at % 8) % 8;
}

/*
 * What is not grouped is one entry, also of no events. Windows have entries of their own, behind it: their events are
 * not among the totals.
 */
struct query_entry *gather_entries(
	const struct gather *g, const struct query_session *session, size_t *n, size_t *n_windowed)
{
	const struct plan *p = &g->q->plan;
	const struct group none = {.keeps = calloc(p->n_keeps + 1, sizeof(struct kept))};
	size_t only = !query_entry_keys(g->q) && (g->n == 0 || p->window.step),
	       bytes = (g->n + 1) * sizeof(struct query_entry) + group_bytes(p, &none);
	struct query_entry *entries = NULL;
	char *at;

	for (size_t i = 0; i < g->n; i++)
		bytes += group_bytes(p, &g->groups[i]);
	if (none.keeps)
		entries = calloc(1, bytes);
	at = (char *)(entries ? entries + g->n + 1 : NULL);
	for (size_t i = 0; entries && i < only + g->n; i++) {
		entries[i].session = session;
		at = copy_group(p, i < only ? &none : &g->groups[i - only], at, &entries[i]);
	}
	*n_windowed = p->window.step ? g->n : 0;
	*n = only + g->n - *n_windowed;
	free(none.keeps);
	return entries;
}

/* Events come in the order of their time, so older windows are whole by now, and were given. */
void gather_forget(struct gather *g)
{
	enum { KEPT = 2 };
	size_t kept = 0;

	if (!g->q->plan.window.step || !g->n)
		return;
	for (size_t i = 0; i < g->n; i++)
		if (g->groups[i].window + KEPT < g->newest)
			group_free(g, &g->groups[i]);
		else
			g->groups[kept++] = g->groups[i];
	g->n = kept;
	memset(g->table, 0, 2 * g->room * sizeof(*g->table));
	table_fill(g);
}
