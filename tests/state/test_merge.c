/* SPDX-License-Identifier: Apache-2.0 */
/* Merging states of several threads. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "loader/state/schema.h"

/* The state of these tests. */
struct state {
	uint64_t calls;
	uint64_t bytes[65];
	uint64_t lost;
	struct {
		uint32_t used;
		int32_t key;
		uint64_t value;
	} slot[8];
	int16_t level;
	char title[6];
};

static struct state_field fields[] = {
	{.name = "calls", .kind = WARD_FIELD_COUNT, .offset = 0, .size = 8, .scalar = {.offset = 0, .size = 8}},
	{.name = "bytes", .kind = WARD_FIELD_LOG2, .offset = 8, .size = 65 * 8, .scalar = {.offset = 8, .size = 8}},
	{.name = "by_fd",
		.kind = WARD_FIELD_MAP,
		.offset = 528,
		.size = 136,
		.map = {.lost = {.offset = 528, .size = 8},
			.slots = 536,
			.stride = 16,
			.n = 8,
			.used = {.offset = 0, .size = 4},
			.key = {.offset = 4, .size = 4, .is_signed = true},
			.value = {.offset = 8, .size = 8}}},
	{.name = "level",
		.kind = WARD_FIELD_VALUE,
		.offset = 664,
		.size = 2,
		.scalar = {.offset = 664, .size = 2, .is_signed = true}},
	{.name = "title",
		.kind = WARD_FIELD_TEXT,
		.offset = 666,
		.size = 6,
		.scalar = {.offset = 666, .size = 1, .is_signed = true},
		.n = 6},
};
static struct ward_schema schema = {.n = 5, .fields = fields};

static ward_snapshot *merge(const struct state *a, const struct state *b)
{
	const void *states[] = {a, b};
	ward_snapshot *snapshot = NULL;
	struct ward_error err = {0};
	cr_assert_eq(
		ward_snapshot_merge(&schema, states, 2, sizeof(struct state), &snapshot, &err), WARD_OK, "%s", err.why);
	cr_assert_eq(ward_snapshot_fields(snapshot), (size_t)5);
	return snapshot;
}

Test(merge, counts_add_up)
{
	struct state a = {.calls = 40}, b = {.calls = 2};
	ward_snapshot *s = merge(&a, &b);
	cr_expect_str_eq(ward_snapshot_field(s, 0)->name, "calls");
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 42u);
	ward_snapshot_free(s);
}

Test(merge, counts_wrap)
{
	struct state a = {.calls = UINT64_MAX}, b = {.calls = 2};
	ward_snapshot *s = merge(&a, &b);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 1u);
	ward_snapshot_free(s);
}

Test(merge, small_signed_values_are_extended)
{
	struct state a = {.level = -3}, b = {.level = 1};
	ward_snapshot *s = merge(&a, &b);
	cr_expect_eq((int64_t)ward_snapshot_field(s, 3)->value, -2);
	cr_expect(ward_snapshot_field(s, 3)->value_is_signed);
	ward_snapshot_free(s);
}

Test(merge, of_texts_the_greatest)
{
	static const char *const texts[][3] = {{"one", "two", "two"}, {"two", "one", "two"}, {"one", "", "one"},
		{"", "", ""}, {"threes", "threepence", "threes"}, {"\xff", "z", "\xff"}};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct state a = {0}, b = {0};
		/* all of it, without a zero byte, if it is that long */
		memcpy(a.title, texts[i][0], strnlen(texts[i][0], sizeof(a.title)));
		memcpy(b.title, texts[i][1], strnlen(texts[i][1], sizeof(b.title)));
		ward_snapshot *s = merge(&a, &b);
		cr_expect_str_eq(ward_snapshot_field(s, 4)->text, texts[i][2]);
		ward_snapshot_free(s);
	}
}

Test(merge, histogram_bounds)
{
	struct state a = {0}, b = {0};
	a.bytes[0] = 5, a.bytes[7] = 10, b.bytes[7] = 7, b.bytes[64] = 1;
	ward_snapshot *s = merge(&a, &b);
	const struct ward_field *f = ward_snapshot_field(s, 1);
	cr_assert_eq(f->n, (size_t)65);
	cr_expect(f->buckets[0].lo == 0 && f->buckets[0].hi == 0 && f->buckets[0].count == 5);
	cr_expect(f->buckets[1].lo == 1 && f->buckets[1].hi == 1 && f->buckets[1].count == 0);
	cr_expect(f->buckets[7].lo == 64 && f->buckets[7].hi == 127 && f->buckets[7].count == 17);
	cr_expect(f->buckets[64].lo == 1ull << 63 && f->buckets[64].hi == UINT64_MAX && f->buckets[64].count == 1);
	ward_snapshot_free(s);
}

Test(merge, histogram_runs_from_first_to_last)
{
	struct state a = {0}, b = {0};
	a.bytes[3] = 1, b.bytes[5] = 1;
	ward_snapshot *s = merge(&a, &b);
	const struct ward_field *f = ward_snapshot_field(s, 1);
	cr_assert_eq(f->n, (size_t)3);
	cr_expect(f->buckets[0].lo == 4 && f->buckets[0].hi == 7 && f->buckets[2].lo == 16 && f->buckets[2].hi == 31);
	ward_snapshot_free(s);
}

Test(merge, empty_histogram_and_map)
{
	struct state a = {0}, b = {0};
	ward_snapshot *s = merge(&a, &b);
	cr_expect_eq(ward_snapshot_field(s, 1)->n, (size_t)0);
	cr_expect_eq(ward_snapshot_field(s, 2)->n, (size_t)0);
	ward_snapshot_free(s);
}

Test(merge, maps_by_key_largest_value_first)
{
	struct state a = {.lost = 3}, b = {.lost = 4};
	a.slot[0].used = 1, a.slot[0].key = -1, a.slot[0].value = 5;
	a.slot[5].used = 1, a.slot[5].key = 3, a.slot[5].value = 10;
	a.slot[6].key = 9, a.slot[6].value = 99; /* not used */
	b.slot[2].used = 7, b.slot[2].key = 3, b.slot[2].value = 1;
	b.slot[3].used = 1, b.slot[3].key = 0, b.slot[3].value = 20;
	b.slot[4].used = 1, b.slot[4].key = 4, b.slot[4].value = 11;
	ward_snapshot *s = merge(&a, &b);
	const struct ward_field *f = ward_snapshot_field(s, 2);
	cr_assert_eq(f->n, (size_t)4);
	cr_expect_eq(f->lost, 7u);
	cr_expect(f->key_is_signed);
	cr_expect(f->entries[0].key == 0 && f->entries[0].value == 20);
	cr_expect(f->entries[1].key == 3 && f->entries[1].value == 11, "equal values in order of their keys");
	cr_expect(f->entries[2].key == 4 && f->entries[2].value == 11);
	cr_expect((int64_t)f->entries[3].key == -1 && f->entries[3].value == 5);
	ward_snapshot_free(s);
}

/* One thread that claims the same key in every slot, as no honest probe does. */
Test(merge, repeated_keys_add_up)
{
	struct state a = {0}, b = {0};
	for (int i = 0; i < 8; i++)
		a.slot[i].used = 0xffffffff, a.slot[i].key = 42, a.slot[i].value = 1ull << 61;
	ward_snapshot *s = merge(&a, &b);
	const struct ward_field *f = ward_snapshot_field(s, 2);
	cr_assert_eq(f->n, (size_t)1);
	cr_expect(f->entries[0].key == 42 && f->entries[0].value == 0);
	ward_snapshot_free(s);
}

/* Sites 1 and 3 are in one module, 2 in another, 4 was skipped; 5 is not known. */
Test(merge, keys_that_are_modules)
{
	static const struct {
		uint32_t number;
		const char *module, *method;
	} sites[] = {{3, "liba.so", "jump"}, {2, "libb\033\xff.so", "jump"}, {1, "liba.so", "call"},
		{4, "liba.so", NULL}, {6, NULL, "jump"}, {1, "libb.so", "jump"}, {UINT32_MAX, "liba.so", "jump"}};
	static struct state_field field;
	struct ward_schema with = {.n = 1, .fields = &field};
	struct state a = {0}, b = {0};
	const void *states[] = {&a, &b};
	ward_snapshot *s = NULL;
	char name[20];
	field = fields[2];
	field.map.key.is_module = true;
	field.modules = &with.modules;
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		struct ward_site_report r = {
			.number = sites[i].number, .module = sites[i].module, .method = sites[i].method};
		cr_assert_eq(ward_schema_site(&with, &r, NULL), 0);
	}
	cr_expect_eq(ward_schema_site(NULL, &(struct ward_site_report){0}, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_schema_site(&with, NULL, NULL), WARD_E_USAGE);
	for (int i = 0; i < 5; i++)
		a.slot[i].used = 1, a.slot[i].key = i + 1, a.slot[i].value = 1ull << i;
	b.slot[0].used = 1, b.slot[0].key = 3, b.slot[0].value = 100;
	b.slot[1].used = 1, b.slot[1].key = -7, b.slot[1].value = 50;
	cr_assert_eq(ward_snapshot_merge(&with, states, 2, sizeof(struct state), &s, NULL), WARD_OK);
	const struct ward_field *f = ward_snapshot_field(s, 0);
	cr_assert_eq(f->n, (size_t)5);
	cr_expect(f->entries[0].key == 3 && f->entries[0].value == 1 + 4 + 100);
	cr_expect((int64_t)f->entries[1].key == -7 && f->entries[1].value == 50);
	cr_expect(f->entries[2].key == 5 && f->entries[3].key == 4 && f->entries[4].key == 2);
	cr_assert_eq(f->enumeration->n, (size_t)2);
	cr_expect(f->enumeration->names[0].value == 2 && f->enumeration->names[1].value == 3, "in order");
	cr_expect(ward_enumeration_name(f->enumeration, 3, name, sizeof(name)) && strcmp(name, "liba.so") == 0);
	cr_expect(ward_enumeration_name(f->enumeration, 2, name, sizeof(name)) && strcmp(name, "libb??.so") == 0,
		"safe to print");
	cr_expect_not(ward_enumeration_name(f->enumeration, 5, name, sizeof(name)));
	ward_snapshot_free(s);
	state_modules_free(&with.modules);
}

Test(merge, no_threads)
{
	ward_snapshot *s;
	cr_assert_eq(ward_snapshot_merge(&schema, NULL, 0, sizeof(struct state), &s, NULL), WARD_OK);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 0u);
	cr_expect_str_eq(ward_snapshot_field(s, 4)->text, "");
	cr_expect_null(ward_snapshot_field(s, 5));
	ward_snapshot_free(s);
}

Test(merge, states_smaller_than_the_schema_are_refused)
{
	struct state a = {0};
	const void *states[] = {&a};
	ward_snapshot *s;
	struct ward_error err = {0};
	cr_expect_eq(ward_snapshot_merge(&schema, states, 1, 665, &s, &err), WARD_E_USAGE);
	cr_expect_null(s);
	cr_expect_eq(err.status, WARD_E_USAGE);
	cr_expect(*err.what && *err.why && *err.hint);
}

/* Packed structs put integers anywhere. */
Test(merge, unaligned_integers)
{
	static struct state_field odd[] = {
		{.name = "odd", .kind = WARD_FIELD_VALUE, .offset = 3, .size = 8, .scalar = {.offset = 3, .size = 8}}};
	struct ward_schema one = {.n = 1, .fields = odd};
	unsigned char *state = malloc(11);
	uint64_t v = 0x1122334455667788;
	memset(state, 0, 11);
	memcpy(state + 3, &v, 8);
	const void *states[] = {state};
	ward_snapshot *s;
	cr_assert_eq(ward_snapshot_merge(&one, states, 1, 11, &s, NULL), WARD_OK);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, v);
	ward_snapshot_free(s);
	free(state);
}

/* The snapshot outlives the states, and all but the names of enumerations outlives the schema. */
Test(merge, snapshot_stands_alone)
{
	struct state *a = calloc(1, sizeof(*a));
	struct ward_schema *copy = calloc(1, sizeof(*copy));
	const void *states[] = {a};
	ward_snapshot *s;
	copy->n = 4;
	copy->fields = malloc(sizeof(fields));
	memcpy(copy->fields, fields, sizeof(fields));
	a->calls = 9;
	a->slot[1].used = 1;
	cr_assert_eq(ward_snapshot_merge(copy, states, 1, sizeof(*a), &s, NULL), WARD_OK);
	ward_schema_free(copy);
	free(a);
	cr_expect_str_eq(ward_snapshot_field(s, 0)->name, "calls");
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 9u);
	cr_expect_eq(ward_snapshot_field(s, 2)->n, (size_t)1);
	ward_snapshot_free(s);
}

/* ---- numbers of other sizes than an integer's ---- */

struct odd_state {
	unsigned __int128 wide;
	double real;
	float small;
	unsigned long many : 40;
	signed long few : 4;
	unsigned char packed[9]; /* 40 bits that no word at a multiple of its size has */
	struct {
		long n;
		char name[8];
	} row[200];
};

static const struct state_int packed = {offsetof(struct odd_state, packed) + 1, 8, 40, 7, 0, 0, 0, 0, 0};

static struct state_field odd_fields[] = {
	{.name = "wide", .kind = WARD_FIELD_WIDE, .size = 16, .scalar = {.size = 8}},
	{.name = "real", .kind = WARD_FIELD_REAL, .offset = 16, .size = 8, .scalar = {.offset = 16, .size = 8}},
	{.name = "small", .kind = WARD_FIELD_REAL, .offset = 24, .size = 4, .scalar = {.offset = 24, .size = 4}},
	{.name = "many",
		.kind = WARD_FIELD_VALUE,
		.offset = 32,
		.size = 8,
		.scalar = {.offset = 32, .size = 8, .bits = 40}},
	{.name = "few",
		.kind = WARD_FIELD_VALUE,
		.offset = 37,
		.size = 1,
		.scalar = {.offset = 37, .size = 1, .bits = 4, .is_signed = true}},
	{.name = "packed", .kind = WARD_FIELD_VALUE, .offset = offsetof(struct odd_state, packed) + 1, .size = 8},
	{.name = "row",
		.kind = WARD_FIELD_ARRAY,
		.offset = offsetof(struct odd_state, row),
		.size = 200 * 16,
		.n_values = 2,
		.map = {.slots = offsetof(struct odd_state, row), .stride = 16, .n = 200, .value_size = 16}},
	{.name = "n",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_VALUE,
		.size = 8,
		.scalar = {.size = 8, .is_signed = true}},
	{.name = "name",
		.kind = WARD_FIELD_TEXT,
		.part = STATE_VALUE,
		.offset = 8,
		.size = 8,
		.n = 8,
		.scalar = {.offset = 8, .size = 1}},
};
static struct ward_schema odd_schema = {.n = 9, .fields = odd_fields};

static ward_snapshot *merge_odd(const struct odd_state *a, const struct odd_state *b)
{
	const void *states[] = {a, b};
	ward_snapshot *snapshot = NULL;
	odd_fields[5].scalar = packed;
	cr_assert_eq(ward_snapshot_merge(&odd_schema, states, 2, sizeof(struct odd_state), &snapshot, NULL), WARD_OK);
	return snapshot;
}

Test(merge, wide_integers_add_up)
{
	static struct odd_state a, b;
	a.wide = (unsigned __int128)3 << 64 | UINT64_MAX, b.wide = 2;
	ward_snapshot *s = merge_odd(&a, &b);
	cr_expect(ward_snapshot_field(s, 0)->high == 4 && ward_snapshot_field(s, 0)->value == 1);
	ward_snapshot_free(s);
}

/* Zero is what a thread has that wrote nothing. */
Test(merge, of_reals_the_greatest)
{
	static struct odd_state a, b;
	static const double triples[][3] = {{1, 2, 2}, {2, 1, 2}, {-1, 0, -1}, {0, -1, -1}, {-2, -1, -1}, {0, 0, 0}};
	for (size_t i = 0; i < sizeof(triples) / sizeof(triples[0]); i++) {
		a.real = triples[i][0], b.real = triples[i][1];
		a.small = (float)triples[i][0], b.small = (float)triples[i][1];
		ward_snapshot *s = merge_odd(&a, &b);
		for (size_t f = 1; f <= 2; f++) {
			double d = ward_snapshot_field(s, f)->real - triples[i][2];
			cr_expect(d > -1e-9 && d < 1e-9, "%zu: %g", i, ward_snapshot_field(s, f)->real);
		}
		ward_snapshot_free(s);
	}
}

Test(merge, a_number_is_greater_than_none)
{
	static struct odd_state a, b;
	a.real = __builtin_nan(""), b.real = -5;
	for (int turn = 0; turn < 2; turn++) {
		ward_snapshot *s = turn ? merge_odd(&b, &a) : merge_odd(&a, &b);
		cr_expect(ward_snapshot_field(s, 1)->real < -4);
		ward_snapshot_free(s);
	}
}

Test(merge, bit_fields_add_up)
{
	static struct odd_state a, b;
	unsigned __int128 bits = (unsigned __int128)0x123456789a << 15; /* 8 bits before them, and 7 */
	a.many = (1ul << 40) - 1, b.many = 2;
	a.few = -3, b.few = -8;
	memset(a.packed, 0xff, sizeof(a.packed));
	bits |= ((unsigned __int128)0x1ffff << 55) | 0x7fff;
	memcpy(a.packed, &bits, sizeof(a.packed));
	ward_snapshot *s = merge_odd(&a, &b);
	cr_expect_eq(ward_snapshot_field(s, 3)->value, (1ul << 40) + 1);
	cr_expect_eq((int64_t)ward_snapshot_field(s, 4)->value, -11);
	cr_expect_eq(ward_snapshot_field(s, 5)->value, 0x123456789aul);
	ward_snapshot_free(s);
}

Test(merge, of_long_arrays_what_is_not_zero)
{
	static struct odd_state a, b;
	a.row[3].n = 5, b.row[3].n = -2, b.row[199].n = 7;
	strcpy(a.row[0].name, "a"), strcpy(b.row[0].name, "b");
	ward_snapshot *s = merge_odd(&a, &b);
	const struct ward_field *f = ward_snapshot_field(s, 6);
	cr_assert(f->n == 3 && f->slots == 200 && f->unlisted == 0);
	cr_expect(f->entries[0].key == 0 && f->entries[1].key == 3 && f->entries[2].key == 199);
	cr_expect(f->entries[0].values[0].value == 0 && strcmp(f->entries[0].values[1].text, "b") == 0);
	cr_expect(f->entries[1].values[0].value == 3 && f->entries[2].values[0].value == 7);
	ward_snapshot_free(s);
}

Test(merge, bits_outside_of_their_word)
{
	struct state_field f = odd_fields[3];
	cr_expect(state_field_valid(&f, 4096));
	f.scalar.bits = 64, f.scalar.shift = 1;
	cr_expect_not(state_field_valid(&f, 4096));
	f.scalar.bits = 0, f.scalar.shift = 64;
	cr_expect_not(state_field_valid(&f, 4096));
	f = odd_fields[3], f.kind = WARD_FIELD_LOG2, f.size = 65 * 8, f.n = 65;
	cr_expect_not(state_field_valid(&f, 4096), "a histogram isn't of bits");
}

/* ---- counts that become times ---- */

struct timed_state {
	uint64_t value, low, high, min, max, count;
	uint64_t bucket[65];
};

static struct state_field timed_fields[] = {
	{.name = "value", .kind = WARD_FIELD_VALUE, .size = 8, .scalar = {.size = 8}, .unit = WARD_UNIT_COUNTS},
	{.name = "stat",
		.kind = WARD_FIELD_STAT,
		.offset = 8,
		.size = 40,
		.scalar = {.offset = 8, .size = 8},
		.high = {.offset = 16, .size = 8},
		.min = {.offset = 24, .size = 8},
		.max = {.offset = 32, .size = 8},
		.count = {.offset = 40, .size = 8},
		.unit = WARD_UNIT_COUNTS},
	{.name = "log2",
		.kind = WARD_FIELD_LOG2,
		.offset = 48,
		.size = 65 * 8,
		.scalar = {.offset = 48, .size = 8},
		.unit = WARD_UNIT_COUNTS},
	{.name = "ns", .kind = WARD_FIELD_VALUE, .size = 8, .scalar = {.size = 8}, .unit = WARD_UNIT_NS},
};

static ward_snapshot *merge_timed(struct ward_schema *timed, const struct timed_state *state, double counts_per_us)
{
	const void *states[] = {state};
	ward_snapshot *snapshot = NULL;
	for (size_t i = 0; i < timed->n; i++)
		timed->fields[i].clock = &timed->clock;
	ward_schema_set_clock(timed, counts_per_us);
	cr_assert_eq(ward_snapshot_merge(timed, states, 1, sizeof(*state), &snapshot, NULL), WARD_OK);
	return snapshot;
}

Test(merge, counts_become_nanoseconds)
{
	static struct timed_state state = {.value = 4000, .low = 8, .high = 4, .min = 10, .max = 1000, .count = 2};
	struct ward_schema timed = {.n = 4, .fields = timed_fields};
	state.bucket[11] = 3; /* 1024 to 2047 */
	state.bucket[64] = 1;
	ward_snapshot *s = merge_timed(&timed, &state, 2000);
	const struct ward_field *value = ward_snapshot_field(s, 0), *stat = ward_snapshot_field(s, 1),
				*log2 = ward_snapshot_field(s, 2), *ns = ward_snapshot_field(s, 3);
	cr_expect(value->value == 2000 && value->unit == WARD_UNIT_NS);
	cr_expect(ns->value == 4000 && ns->unit == WARD_UNIT_NS, "they are already");
	cr_expect(stat->value == 4 && stat->high == 2 && stat->min == 5 && stat->max == 500 && stat->count == 2);
	cr_expect(log2->buckets[0].lo == 512 && log2->buckets[0].hi == 1023 && log2->buckets[0].count == 3);
	cr_expect(log2->buckets[log2->n - 1].lo == 1ull << 62 && log2->buckets[log2->n - 1].hi == UINT64_MAX);
	ward_snapshot_free(s);
	s = merge_timed(&timed, &state, 0);
	cr_expect(ward_snapshot_field(s, 0)->value == 4000 && ward_snapshot_field(s, 0)->unit == WARD_UNIT_COUNTS);
	ward_snapshot_free(s);
}

/* A clock that is slower than nanoseconds: what doesn't fit is as much as fits. */
Test(merge, times_that_do_not_fit)
{
	static struct timed_state state;
	struct ward_schema timed = {.n = 4, .fields = timed_fields};
	memset(&state, 0xff, sizeof(state));
	ward_snapshot *s = merge_timed(&timed, &state, 0.001);
	cr_expect(ward_snapshot_field(s, 0)->value == UINT64_MAX && ward_snapshot_field(s, 0)->high == 0);
	cr_expect_eq(ward_snapshot_field(s, 1)->max, UINT64_MAX);
	ward_snapshot_free(s);
}

Test(merge, units_where_there_are_none)
{
	struct state_field f = timed_fields[0];
	cr_expect(state_field_valid(&f, 4096));
	f.unit = WARD_UNIT_TIME + 1;
	cr_expect_not(state_field_valid(&f, 4096));
	f.unit = WARD_UNIT_NS, f.kind = WARD_FIELD_TEXT, f.scalar.size = 1, f.n = f.size = 8;
	cr_expect_not(state_field_valid(&f, 4096), "a text is no amount");
}
