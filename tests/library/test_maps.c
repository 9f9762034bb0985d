/* SPDX-License-Identifier: Apache-2.0 */
/* Maps against lists of all updates. */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4000 };

/* All updates, by thread. */
static struct update {
	uint64_t x, y, v;
	size_t thread;
} updates[N];
static size_t n_updates;

static void feed(struct library *l, size_t n, uint64_t keys, size_t threads)
{
	probe_fn *fn = library_entry(l, "on_key");

	library_clear(l);
	for (n_updates = 0; n_updates < n; n_updates++) {
		struct update u = {random_bits() % keys, random_bits() % 2, random_number(), random_bits() % threads};
		struct ward_event ev = {.arg = {u.x, u.y, u.v}};

		fn(&ev, l->states[u.thread]);
		updates[n_updates] = u;
	}
}

/* Does an update have the key of an entry? */
typedef bool match_fn(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f);

static uint64_t key_part(const struct ward_map_entry *e, const struct ward_field *f, const char *name)
{
	return library_part(e->keys, f->n_keys, name)->value;
}

static bool match_plain(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f)
{
	(void)f;
	return (int)e->key == (int)u->x;
}

static bool match_pair(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f)
{
	cr_assert_eq((int64_t)key_part(e, f, "d"), -1);
	return key_part(e, f, "a") == u->x && key_part(e, f, "b") == u->y && key_part(e, f, "c") == (u->x & 1);
}

static bool match_wide(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f)
{
	char name[8];

	snprintf(name, sizeof(name), "name%c", (int)('0' + u->x % 10));
	return key_part(e, f, "a[0]") == u->x && key_part(e, f, "a[5]") == u->y &&
	       key_part(e, f, "last") == u->x + u->y &&
	       strcmp(library_part(e->keys, f->n_keys, "name")->text, name) == 0;
}

static bool match_odd(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f)
{
	return key_part(e, f, "at[0]") == (u->x & 255) && key_part(e, f, "at[12]") == u->y &&
	       key_part(e, f, "at[6]") == 0;
}

static bool match_short(const struct update *u, const struct ward_map_entry *e, const struct ward_field *f)
{
	return library_part(e->keys, f->n_keys, "key")->value == (uint16_t)u->x;
}

/* What the updates of one key, or of those without room, come to. */
struct tally {
	uint64_t n, sum, min, max, log2[65];
};

static void tally_add(struct tally *t, uint64_t v)
{
	unsigned bits = 0;

	for (uint64_t rest = v; rest; rest >>= 1)
		bits++;
	t->log2[bits]++;
	t->sum += v;
	t->min = t->n == 0 || v < t->min ? v : t->min;
	t->max = t->n == 0 || v > t->max ? v : t->max;
	t->n++;
}

static void check_log2(const struct ward_field *f, const struct tally *t)
{
	uint64_t total = 0;

	for (size_t i = 0; i < f->n; i++) {
		unsigned bits = 0;

		for (uint64_t rest = f->buckets[i].lo; rest; rest >>= 1)
			bits++;
		cr_assert_eq(f->buckets[i].count, t->log2[bits]);
		total += f->buckets[i].count;
	}
	cr_assert_eq(total, t->n);
}

static void check_stat(const struct ward_field *f, const struct tally *t)
{
	cr_assert(f->count == t->n && f->value == t->sum && (t->n == 0 || (f->min == t->min && f->max == t->max)));
}

typedef void value_fn(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t);

static void value_sum(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t)
{
	cr_assert_eq(f->n_values ? library_part(e->values, f->n_values, "value")->value : e->value, t->sum);
}

static void value_count(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t)
{
	cr_assert_eq(library_part(e->values, f->n_values, "value")->value, t->n);
}

static void value_log2(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t)
{
	check_log2(library_part(e->values, f->n_values, "value"), t);
}

static void value_stat(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t)
{
	check_stat(library_part(e->values, f->n_values, "value"), t);
}

static void value_both(const struct ward_map_entry *e, const struct ward_field *f, const struct tally *t)
{
	cr_assert_eq(library_part(e->values, f->n_values, "calls")->value, t->n);
	check_log2(library_part(e->values, f->n_values, "sizes"), t);
	check_stat(library_part(e->values, f->n_values, "stat"), t);
}

/* Keys that have a slot have all their updates there; all others are in `other`, and counted. Of one thread. */
static void check_map(const struct ward_field *f, match_fn *match, value_fn *value, size_t first, size_t n, bool room)
{
	static bool found[N];
	struct tally rest = {0};

	memset(found, 0, sizeof(found));
	for (size_t i = 0; i < f->n; i++) {
		struct tally t = {0};

		for (size_t u = 0; u < n_updates; u++) {
			if (updates[u].thread < first || updates[u].thread >= first + n ||
				!match(&updates[u], &f->entries[i], f))
				continue;
			cr_assert(!found[u], "two entries for one key");
			found[u] = true;
			tally_add(&t, updates[u].v);
		}
		cr_assert_gt(t.n, 0, "%s: a key that was never added", f->name);
		value(&f->entries[i], f, &t);
	}
	for (size_t u = 0; u < n_updates; u++)
		if (updates[u].thread >= first && updates[u].thread < first + n && !found[u])
			tally_add(&rest, updates[u].v);
	cr_assert_eq(f->lost, rest.n, "%s", f->name);
	cr_assert_eq(f->other != NULL, rest.n != 0);
	if (f->other)
		value(f->other, f, &rest);
	if (room)
		cr_assert_eq(rest.n, 0, "%s: there was room", f->name);
}

static void check_maps(struct library *l, size_t first, size_t n, uint64_t keys)
{
	ward_snapshot *s = library_merge(l, first, n);

	check_map(library_field(s, "plain"), match_plain, value_sum, first, n, keys <= 32);
	check_map(library_field(s, "pairs"), match_pair, value_sum, first, n, keys <= 64);
	check_map(library_field(s, "wide"), match_wide, value_stat, first, n, keys <= 32);
	check_map(library_field(s, "odd"), match_odd, value_count, first, n, keys <= 16);
	check_map(library_field(s, "histograms"), match_pair, value_log2, first, n, keys <= 8);
	check_map(library_field(s, "both"), match_short, value_both, first, n, keys <= 8);
	ward_snapshot_free(s);
}

Test(maps, one_thread)
{
	static const uint64_t keys[] = {1, 5, 8, 16, 32, 200};
	struct library l = library_open("maps");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		feed(&l, N, keys[i], THREADS);
		for (size_t t = 0; t < THREADS; t++)
			check_maps(&l, t, 1, keys[i]);
	}
	library_close(&l);
}

Test(maps, several_threads)
{
	static const uint64_t keys[] = {1, 5, 8};
	struct library l = library_open("maps");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		feed(&l, N, keys[i], THREADS);
		check_maps(&l, 0, THREADS, keys[i]);
	}
	library_close(&l);
}

/* A key may have room in one thread and none in another: nothing gets lost between entries and `other`. */
Test(maps, several_threads_overfull)
{
	struct library l = library_open("maps");
	const struct ward_field *f;
	uint64_t sum = 0, want = 0, n = 0;
	ward_snapshot *s;

	feed(&l, N, 1000, THREADS);
	s = library_merge(&l, 0, THREADS);
	f = library_field(s, "both");
	cr_assert(f->other && f->lost);
	for (size_t i = 0; i < f->n; i++) {
		sum += library_part(f->entries[i].values, f->n_values, "stat")->value;
		n += library_part(f->entries[i].values, f->n_values, "calls")->value;
		cr_assert(i == 0 || library_part(f->entries[i].values, f->n_values, "calls")->value <=
					    library_part(f->entries[i - 1].values, f->n_values, "calls")->value);
	}
	for (size_t u = 0; u < n_updates; u++)
		want += updates[u].v;
	cr_assert_eq(sum + library_part(f->other->values, f->n_values, "stat")->value, want);
	cr_assert_eq(n + f->lost, n_updates);
	ward_snapshot_free(s);
	library_close(&l);
}

Test(maps, keys_come_and_go)
{
	struct library l = library_open("maps");
	probe_fn *fn = library_entry(&l, "on_change");
	static struct {
		bool there;
		uint64_t value;
	} keys[48];
	uint64_t found = 0, removed = 0, sum = 0;
	const struct ward_field *f;
	ward_snapshot *s;

	for (size_t i = 0; i < 100000; i++) {
		struct ward_event ev = {.arg = {random_bits() % 48 * 0x10001, 0, random_bits(), random_bits()}};
		size_t k = ev.arg[0] / 0x10001;

		fn(&ev, l.states[0]);
		if ((ev.arg[3] & 3) == 0) {
			keys[k].there = true;
			keys[k].value = ev.arg[2];
		} else if ((ev.arg[3] & 3) == 1) {
			removed += keys[k].there;
			keys[k].there = false;
		} else if (keys[k].there) {
			bool popped = (ev.arg[3] & 3) == 2;

			*(popped ? &removed : &found) += 1;
			sum += keys[k].value;
			keys[k].there = !popped;
		}
	}
	s = library_merge(&l, 0, 1);
	f = library_field(s, "live");
	cr_assert_eq(library_field(s, "found")->value, found);
	cr_assert_eq(library_field(s, "removed")->value, removed);
	cr_assert_eq(library_field(s, "sum")->value, sum);
	cr_assert_eq(f->lost, 0);
	for (size_t i = 0; i < f->n; i++) {
		size_t k = f->entries[i].key / 0x10001;

		cr_assert(k < 48 && keys[k].there && keys[k].value == f->entries[i].value);
		keys[k].there = false;
	}
	for (size_t k = 0; k < 48; k++)
		cr_assert(!keys[k].there, "a key that should be there");
	ward_snapshot_free(s);
	library_close(&l);
}

/*
 * Of recent keys: the eight that were hit last are always there, as eight slots are looked at for the one that was hit
 * least recently. A key that has never lost its slot has its full count; no key has more.
 */
Test(maps, recent_keys_stay)
{
	struct library l = library_open("maps");
	probe_fn *fn = library_entry(&l, "on_key");
	uint64_t insertions = 0, last[8] = {0}, present = 0;
	static uint64_t counts[5000];
	size_t n_last = 0;

	for (size_t i = 0; i < 20000; i++) {
		/* twenty keys come again and again, the others hardly ever */
		uint64_t x = random_bits() % 3 ? random_bits() % 20 : random_bits() % 5000;
		struct ward_event ev = {.arg = {x}};
		const struct ward_field *f;
		ward_snapshot *s;
		size_t k;

		fn(&ev, l.states[0]);
		counts[x]++;
		for (k = 0; k < n_last && last[k] != x; k++)
			;
		if (k == n_last && n_last < 8)
			n_last++;
		else if (k == n_last)
			k--;
		memmove(last + 1, last, k * sizeof(*last));
		last[0] = x;
		if (i % 37)
			continue;
		s = library_merge(&l, 0, 1);
		f = library_field(s, "recent");
		present = f->n;
		insertions = f->n + f->evicted;
		for (k = 0; k < n_last; k++) {
			size_t e = 0;

			while (e < f->n && key_part(&f->entries[e], f, "a") != last[k])
				e++;
			cr_assert_lt(e, f->n, "key %lu was hit %zu keys ago and isn't there", last[k], k);
		}
		for (size_t e = 0; e < f->n; e++) {
			uint64_t v = library_part(f->entries[e].values, f->n_values, "value")->value;

			cr_assert(v > 0 && v <= counts[key_part(&f->entries[e], f, "a")]);
			if (f->evicted == 0)
				cr_assert_eq(v, counts[key_part(&f->entries[e], f, "a")]);
		}
		ward_snapshot_free(s);
	}
	cr_assert_eq(present, 64);
	cr_assert(insertions > 64);
	library_close(&l);
}

Test(maps, garbage)
{
	struct library l = library_open("maps");

	library_merge_garbage(&l);
	library_close(&l);
}
