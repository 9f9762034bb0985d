/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting partials that are above their limits: what is kept, where the rest goes; sums stay what they were. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "loader/state/schema.h"
#include "ward/partial.h"

enum { LARGE = 4000, SMALL = 10, TOP = 2000, ELEMENTS = 3000 };

struct slot {
	uint32_t used, key;
	uint64_t value;
};

struct state {
	uint64_t calls, lost, other;
	struct slot large[LARGE], small[SMALL];
	struct {
		uint64_t count, error, key;
	} top[TOP];
	uint64_t table[ELEMENTS];
};

#define AT(member) offsetof(struct state, member)
#define MAP(member, slots_n) \
	{.name = #member, \
		.kind = WARD_FIELD_MAP, \
		.offset = AT(member), \
		.size = sizeof(struct slot) * (slots_n), \
		.map = {.slots = AT(member), \
			.stride = sizeof(struct slot), \
			.n = (slots_n), \
			.used = {.offset = 0, .size = 4}, \
			.key = {.offset = 4, .size = 4}, \
			.value = {.offset = 8, .size = 8}, \
			.value_offset = 8, \
			.value_size = 8}}

enum { CALLS, LARGE_MAP, SMALL_MAP, TOP_MAP, TABLE };

static struct state_field fields[] = {
	{.name = "calls", .kind = WARD_FIELD_COUNT, .offset = 0, .size = 8, .scalar = {.offset = 0, .size = 8}},
	MAP(large, LARGE),
	MAP(small, SMALL),
	{.name = "top",
		.kind = WARD_FIELD_TOP,
		.offset = AT(top),
		.size = 24 * TOP,
		.n_keys = 1,
		.map = {.slots = AT(top),
			.stride = 24,
			.n = TOP,
			.used = {.offset = 0, .size = 8},
			.error = {.offset = 8, .size = 8}}},
	{.name = "key",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		.offset = 16,
		.size = 8,
		.scalar = {.offset = 16, .size = 8}},
	{.name = "table",
		.kind = WARD_FIELD_ARRAY,
		.offset = AT(table),
		.size = 8 * ELEMENTS,
		.n_values = 1,
		.map = {.slots = AT(table), .stride = 8, .n = ELEMENTS, .value_size = 8}},
	{.name = "value", .kind = WARD_FIELD_COUNT, .part = STATE_VALUE, .size = 8, .scalar = {.size = 8}},
};
static struct ward_schema schema = {.n = sizeof(fields) / sizeof(fields[0]), .fields = fields};

/* Values of neighbours differ much, so that the heaviest ones lie everywhere. */
static uint64_t value_of(uint32_t i, uint32_t n)
{
	return 1 + (uint64_t)i * 2654435761u % 100003 % n;
}

static ward_partial *take(uint32_t n)
{
	static struct state state;
	const void *states[] = {&state};
	struct ward_error err = {0};
	ward_partial *p = NULL;
	state = (struct state){.calls = 9};
	fields[LARGE_MAP].map.other = AT(other);
	fields[LARGE_MAP].map.lost = (struct state_int){.offset = AT(lost), .size = 8};
	fields[LARGE_MAP].offset = AT(lost);
	fields[LARGE_MAP].size = AT(small) - AT(lost);
	for (uint32_t i = 0; i < n; i++)
		state.large[i] = (struct slot){1, i * 3, value_of(i, 100000)};
	for (uint32_t i = 0; i < SMALL; i++)
		state.small[i] = (struct slot){1, i, 1};
	for (uint32_t i = 0; i < n && i < TOP; i++)
		state.top[i].count = 100 + value_of(i, 5000), state.top[i].error = 1, state.top[i].key = i;
	for (uint32_t i = 0; i < n && i < ELEMENTS; i++)
		state.table[i] = value_of(i, 60000);
	cr_assert_eq(ward_partial_merge(&schema, NULL, states, 1, sizeof(state), NULL, &p, &err), 0, "%s", err.why);
	return p;
}

static ward_snapshot *finish(const ward_partial *p)
{
	ward_snapshot *s = NULL;
	cr_assert_eq(ward_partial_finish(p, &s, NULL), 0);
	return s;
}

static uint64_t sum_of(const struct ward_field *f)
{
	uint64_t sum = f->other ? f->other->value : 0;
	for (size_t i = 0; i < f->n; i++)
		sum += f->entries[i].value;
	return sum;
}

/* What was cut is no heavier than what was kept, and the sum is what it was. */
static void compare(const ward_snapshot *whole, const ward_snapshot *cut)
{
	for (size_t i = LARGE_MAP; i <= TABLE; i++) {
		const struct ward_field *w = ward_snapshot_field(whole, i), *c = ward_snapshot_field(cut, i);
		cr_assert_eq(c->n + c->unlisted, w->n);
		for (size_t e = 0; e < c->n && i != TABLE; e++)
			cr_assert_eq(c->entries[e].value, w->entries[e].value, "%s %zu", c->name, e);
	}
	cr_expect_eq(sum_of(ward_snapshot_field(cut, LARGE_MAP)), sum_of(ward_snapshot_field(whole, LARGE_MAP)));
	cr_expect_eq(ward_snapshot_field(cut, CALLS)->value, 9);
	cr_expect_eq(ward_snapshot_field(cut, SMALL_MAP)->n, (size_t)SMALL);
	cr_expect_eq(ward_snapshot_field(cut, SMALL_MAP)->unlisted, 0);
}

Test(cut, a_packed_partial_has_at_most_its_limit)
{
	ward_partial *p = take(LARGE), *q;
	ward_snapshot *whole = finish(p);
	struct ward_error err;
	void *bytes;
	size_t size, all;
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &all, &err), 0, "%s", err.why);
	free(bytes);
	for (size_t most = 400; most < all; most = most * 3 / 2) {
		struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = most};
		cr_assert_eq(ward_partial_pack(p, &limits, &bytes, &size, &err), 0, "%zu: %s", most, err.why);
		cr_assert(size <= most && size >= most - most / 8, "%zu of %zu", size, most);
		cr_assert_eq(ward_partial_unpack(&schema, bytes, size, &limits, &q, &err), 0, "%s", err.why);
		cr_expect_eq(ward_partial_notes(q).flags, WARD_PARTIAL_CUT);
		ward_snapshot *cut = finish(q);
		compare(whole, cut);
		cr_expect(ward_snapshot_field(cut, LARGE_MAP)->unlisted > 0);
		ward_snapshot_free(cut);
		ward_partial_free(q);
		free(bytes);
	}
	cr_expect_eq(ward_partial_notes(p).flags, 0);
	ward_snapshot_free(whole);
	ward_partial_free(p);
}

Test(cut, what_fits_stays)
{
	ward_partial *p = take(5);
	uint64_t cut = 1;
	cr_expect_eq(ward_partial_cut(p, NULL, &cut, NULL), 0);
	cr_expect_eq(cut, 0);
	cr_expect_eq(ward_partial_notes(p).flags, 0);
	ward_partial_free(p);
}

/* In place, by memory; and once more: what was cut adds up. */
Test(cut, memory_is_limited)
{
	struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = 100000};
	ward_partial *p = take(LARGE);
	ward_snapshot *whole = finish(p), *s;
	uint64_t cut, more;
	cr_assert_eq(ward_partial_cut(p, &limits, &cut, NULL), 0);
	cr_expect(ward_partial_memory(p) <= 100000 && cut > 1000 && cut < LARGE + TOP + ELEMENTS);
	compare(whole, s = finish(p));
	ward_snapshot_free(s);
	limits.memory = 50000;
	cr_assert_eq(ward_partial_cut(p, &limits, &more, NULL), 0);
	cr_expect(ward_partial_memory(p) <= 50000 && more > 100);
	compare(whole, s = finish(p));
	cr_expect_eq(ward_snapshot_field(s, LARGE_MAP)->unlisted + ward_snapshot_field(s, TOP_MAP)->unlisted +
			     ward_snapshot_field(s, TABLE)->unlisted,
		cut + more);
	ward_snapshot_free(s);
	ward_snapshot_free(whole);
	ward_partial_free(p);
}

/* A key that a cut top doesn't have may have counted as much as the heaviest that was cut. */
Test(cut, bounds_of_top_hold)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = 4000};
	ward_partial *p = take(LARGE), *q = take(LARGE);
	ward_snapshot *whole = finish(p);
	cr_assert_eq(ward_partial_cut(p, &limits, NULL, NULL), 0);
	cr_assert_eq(ward_partial_add(p, q, NULL), 0);
	ward_snapshot *s = finish(p);
	const struct ward_field *w = ward_snapshot_field(whole, TOP_MAP), *f = ward_snapshot_field(s, TOP_MAP);
	cr_assert_eq(f->n, (size_t)TOP);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t key = f->entries[i].key, true_count = 2 * (100 + value_of((uint32_t)key, 5000));
		cr_assert(f->entries[i].value >= true_count);
		cr_assert(f->entries[i].value - f->entries[i].error <= true_count);
	}
	cr_expect_eq(w->n, (size_t)TOP);
	ward_snapshot_free(whole);
	ward_snapshot_free(s);
	ward_partial_free(p);
	ward_partial_free(q);
}

/* Nothing is left to cut. */
Test(cut, fields_without_entries_are_never_cut)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = 40};
	struct ward_error err;
	ward_partial *p = take(LARGE);
	size_t memory = ward_partial_memory(p);
	cr_expect_eq(ward_partial_cut(p, &limits, NULL, &err), WARD_E_SYSTEM);
	cr_expect(strstr(err.why, "without any entry"), "%s", err.why);
	cr_expect_eq(ward_partial_memory(p), memory);
	cr_expect_eq(ward_partial_notes(p).flags, 0);
	ward_partial_free(p);
}

/* Maps of integers have their parts only there: of each field there are three more at most. */
Test(cut, maps_of_integers_by_machine)
{
	struct ward_schema maps = {.n = 2, .fields = fields + LARGE_MAP};
	ward_schema *by = NULL;
	ward_partial *p = NULL, *q = NULL;
	static struct state state;
	const void *states[] = {&state};
	for (uint32_t i = 0; i < SMALL; i++)
		state.small[i] = (struct slot){1, i, i + 1};
	cr_assert_eq(ward_schema_by(&maps, "rack", &by, NULL), 0);
	cr_assert_eq(ward_partial_merge(&maps, NULL, states, 1, sizeof(state), NULL, &p, NULL), 0);
	cr_assert_eq(ward_partial_by(p, by, "b3", NULL, &q, NULL), 0);
	ward_snapshot *s = finish(q);
	const struct ward_field *f = ward_snapshot_field(s, 1);
	cr_assert(f->n == SMALL && f->n_keys == 2);
	cr_expect_str_eq(f->entries[0].keys[0].text, "b3");
	cr_expect_eq(f->entries[0].keys[1].value, SMALL - 1);
	cr_expect_eq(f->entries[0].values[0].value, SMALL);
	ward_snapshot_free(s);
	ward_partial_free(p);
	ward_partial_free(q);
	ward_schema_free(by);
}

/* ---- the most frequent keys, against a plain count ---- */

enum { COUNTERS = 16, KEYS = 60, PARTS = 6 };

struct counters {
	struct {
		uint64_t count, error, key;
	} at[COUNTERS];
};

/* Space-Saving, as ward/top.h counts. */
static void count_key(struct counters *c, uint64_t key)
{
	size_t least = 0;
	for (size_t i = 0; i < COUNTERS; i++) {
		if (c->at[i].count && c->at[i].key == key) {
			c->at[i].count++;
			return;
		}
		least = c->at[i].count < c->at[least].count ? i : least;
	}
	c->at[least].error = c->at[least].count++;
	c->at[least].key = key;
}

static ward_partial *take_counters(const ward_schema *top, const struct counters *c)
{
	const void *states[] = {c};
	ward_partial *p = NULL;
	cr_assert_eq(ward_partial_merge(top, NULL, states, 1, sizeof(*c), NULL, &p, NULL), 0);
	return p;
}

/* Whatever the order of adding, and with one that was cut: a key's count lies between value - error and value. */
Test(cut, top_holds_its_bounds_over_many_machines)
{
	struct state_field top_fields[] = {fields[3], fields[4]};
	struct ward_schema top = {.n = 2, .fields = top_fields};
	struct ward_partial_limits few = {.size = sizeof(few), .bytes = 80};
	top_fields[0].offset = 0;
	top_fields[0].size = sizeof(struct counters);
	top_fields[0].map.slots = 0;
	top_fields[0].map.n = COUNTERS;
	uint64_t seed = 99;
	for (unsigned round = 0; round < 50; round++) {
		struct counters counters[PARTS] = {0};
		uint64_t counted[KEYS] = {0};
		ward_partial *sum = NULL;
		for (unsigned i = 0; i < 3000; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			uint64_t x = (seed >> 33) % KEYS, y = (seed >> 20) % KEYS, key = x < y ? x : y;
			counted[key]++;
			count_key(&counters[(seed >> 45) % PARTS], key);
		}
		for (unsigned i = 0; i < PARTS; i++) {
			ward_partial *p = take_counters(&top, &counters[(i * 5 + round) % PARTS]);
			uint64_t cut = 1;
			if (i == round % 7)
				cr_assert_eq(ward_partial_cut(p, &few, &cut, NULL), 0);
			cr_assert(cut > 0);
			if (sum)
				cr_assert_eq(ward_partial_add(p, sum, NULL), 0);
			ward_partial_free(sum);
			sum = p;
		}
		ward_snapshot *s = finish(sum);
		const struct ward_field *f = ward_snapshot_field(s, 0);
		cr_assert_eq(f->n, (size_t)COUNTERS);
		for (size_t i = 0; i < f->n; i++) {
			const struct ward_map_entry *e = &f->entries[i];
			cr_assert(e->value >= counted[e->key] && e->value - e->error <= counted[e->key],
				"round %u: key %d: %d - %d, counted %d", round, (int)e->key, (int)e->value,
				(int)e->error, (int)counted[e->key]);
		}
		ward_snapshot_free(s);
		ward_partial_free(sum);
	}
}
