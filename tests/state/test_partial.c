/* SPDX-License-Identifier: Apache-2.0 */
/* Partials: adding, names, limits. What each kind adds up to is for partial_random.c. */
#include <criterion/criterion.h>
#include <partial.pb-c.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/state/schema.h"
#include "ward/partial.h"

enum { SLOTS = 8, RECORDS = 4 };

struct state {
	uint64_t calls;
	struct {
		uint32_t used;
		uint32_t site;
		uint64_t count;
	} by_site[SLOTS];
	struct {
		uint32_t used, unused;
		uint64_t address, count;
	} by_address[SLOTS];
	uint64_t next;
	struct {
		uint64_t number, value;
	} record[RECORDS];
};

#define AT(member) offsetof(struct state, member)

static struct state_field fields[] = {
	{.name = "calls", .kind = WARD_FIELD_COUNT, .offset = 0, .size = 8, .scalar = {.offset = 0, .size = 8}},
	{.name = "by_site",
		.kind = WARD_FIELD_MAP,
		.offset = AT(by_site),
		.size = 16 * SLOTS,
		.map = {.slots = AT(by_site),
			.stride = 16,
			.n = SLOTS,
			.used = {.offset = 0, .size = 4},
			.key = {.offset = 4, .size = 4, .is_site = true},
			.value = {.offset = 8, .size = 8}}},
	{.name = "by_address",
		.kind = WARD_FIELD_MAP,
		.offset = AT(by_address),
		.size = 24 * SLOTS,
		.n_keys = 1,
		.n_values = 1,
		.map = {.slots = AT(by_address),
			.stride = 24,
			.n = SLOTS,
			.used = {.offset = 0, .size = 4},
			.value_offset = 16,
			.value_size = 8}},
	{.name = "key",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		.offset = 8,
		.size = 8,
		.scalar = {.offset = 8, .size = 8, .is_address = true}},
	{.name = "value",
		.kind = WARD_FIELD_COUNT,
		.part = STATE_VALUE,
		.offset = 16,
		.size = 8,
		.scalar = {.offset = 16, .size = 8}},
	{.name = "ring",
		.kind = WARD_FIELD_RING,
		.offset = AT(next),
		.size = 8 + 16 * RECORDS,
		.n_values = 1,
		.map = {.slots = AT(record),
			.stride = 16,
			.n = RECORDS,
			.used = {.offset = 0, .size = 8},
			.evicted = {.offset = AT(next), .size = 8},
			.value_offset = 8,
			.value_size = 8}},
	{.name = "time",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_VALUE,
		.offset = 8,
		.size = 8,
		.scalar = {.offset = 8, .size = 8}},
};

static struct ward_schema new_schema(void)
{
	return (struct ward_schema){.n = sizeof(fields) / sizeof(fields[0]), .fields = fields};
}

static ward_partial *take(const ward_schema *schema, ward_names *names, const struct state *state)
{
	const void *states[] = {state};
	ward_partial *p = NULL;
	struct ward_error err = {0};
	cr_assert_eq(ward_partial_merge(schema, names, states, 1, sizeof(*state), NULL, &p, &err), 0, "%s: %s",
		err.what, err.why);
	return p;
}

static ward_snapshot *finish(const ward_partial *p)
{
	ward_snapshot *s = NULL;
	cr_assert_eq(ward_partial_finish(p, &s, NULL), 0);
	return s;
}

static void report(ward_schema *schema, uint32_t number, const char *site)
{
	struct ward_site_report r = {.site = site, .number = number, .method = "jump", .module = "libc.so.6"};
	cr_assert_eq(ward_schema_site(schema, &r, NULL), 0);
}

Test(partial, one_added_to_itself_is_twice_it)
{
	struct ward_schema schema = new_schema();
	struct state state = {.calls = 21, .by_site[3] = {1, 7, 5}};
	ward_partial *p = take(&schema, NULL, &state);
	cr_assert_eq(ward_partial_add(p, p, NULL), 0);
	ward_snapshot *s = finish(p);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 42);
	cr_expect_eq(ward_snapshot_field(s, 1)->n, 1);
	cr_expect_eq(ward_snapshot_field(s, 1)->entries[0].key, 7);
	cr_expect_eq(ward_snapshot_field(s, 1)->entries[0].value, 10);
	ward_snapshot_free(s);
	ward_partial_free(p);
}

/* A site has one number in this process and another in that. */
Test(partial, sites_are_added_by_name)
{
	ward_names *names;
	struct ward_schema here = new_schema(), there = new_schema();
	struct state a = {.by_site = {{1, 0, 5}, {1, 1, 1}}}, b = {.by_site = {{1, 1, 7}}};
	cr_assert_eq(ward_names_open(getpid(), &names, NULL), 0);
	report(&here, 0, "libc.so.6!read"), report(&here, 1, "libc.so.6!write");
	report(&there, 0, "libc.so.6!write"), report(&there, 1, "libc.so.6!read");
	ward_partial *x = take(&here, names, &a), *y = take(&there, names, &b);
	cr_assert_eq(ward_partial_add(x, y, NULL), 0);
	ward_snapshot *s = finish(x);
	const struct ward_field *f = ward_snapshot_field(s, 1);
	cr_assert_eq(f->n, 2);
	cr_assert_eq(f->n_keys, 1);
	cr_expect_eq(f->n_values, 0);
	cr_expect_eq(f->parts[0].kind, WARD_FIELD_TEXT);
	cr_expect_str_eq(f->entries[0].keys[0].text, "libc.so.6!read");
	cr_expect_eq(f->entries[0].value, 12);
	cr_expect_str_eq(f->entries[1].keys[0].text, "libc.so.6!write");
	cr_expect_eq(f->entries[1].value, 1);
	ward_snapshot_free(s);
	ward_partial_free(x);
	ward_partial_free(y);
	ward_names_close(names);
}

Test(partial, addresses_are_added_by_name)
{
	ward_names *names;
	struct ward_schema schema = new_schema();
	struct state a = {.by_address = {{1, 0, (uint64_t)(uintptr_t)&read + 1, 5}, {1, 0, 1, 2}}};
	char name[256];
	cr_assert_eq(ward_names_open(getpid(), &names, NULL), 0);
	cr_assert(ward_names_find(names, a.by_address[0].address, name, sizeof(name)));
	ward_partial *x = take(&schema, names, &a), *y = take(&schema, names, &a);
	cr_assert_eq(ward_partial_add(x, y, NULL), 0);
	ward_snapshot *s = finish(x);
	const struct ward_field *f = ward_snapshot_field(s, 2);
	cr_assert_eq(f->n, 2);
	cr_expect_str_eq(f->entries[0].keys[0].text, name);
	cr_expect_not(f->entries[0].keys[0].is_address);
	cr_expect_eq(f->entries[0].values[0].value, 10);
	cr_expect_str_eq(f->entries[1].keys[0].text, "0x1");
	ward_snapshot_free(s);
	ward_partial_free(x);
	ward_partial_free(y);
	ward_names_close(names);
}

/* ---- addresses of several machines ---- */

/* A message of one map with these texts for addresses, each with its count. */
static int unpack_named(const ward_schema *schema, const char *const *texts, const uint64_t *counts, size_t n,
	ward_partial **p, struct ward_error *err)
{
	Ward__Partial m;
	Ward__Field fields_of[4], *at[4];
	Ward__Column key, value, *keys[] = {&key}, *values[] = {&value};
	static uint8_t text[1 << 16];
	uint8_t query[16] = {0}, *bytes;
	uint32_t sizes[8], order[] = {0, 1, 2, 3, 4, 5, 6, 7};
	uint64_t zero = 0;
	ward__partial__init(&m);
	m.format = 1, m.query.len = 16, m.query.data = query, m.has_flags = 1, m.flags = 8;
	m.text.data = text, m.has_text = 1, m.text_size = sizes, m.n_text_size = n;
	for (size_t i = 0; i < n; i++) {
		sizes[i] = (uint32_t)strlen(texts[i]);
		memcpy(text + m.text.len, texts[i], sizes[i]);
		m.text.len += sizes[i];
	}
	for (size_t i = 0; i < 4; i++) {
		ward__field__init(&fields_of[i]);
		at[i] = &fields_of[i];
	}
	ward__column__init(&key), ward__column__init(&value);
	Ward__Column none = key, *nones[] = {&none};
	fields_of[0].number = &zero, fields_of[0].n_number = 1;
	fields_of[1].key = fields_of[1].value = nones, fields_of[1].n_key = fields_of[1].n_value = 1;
	fields_of[2].key = keys, fields_of[2].value = values, fields_of[2].n_key = fields_of[2].n_value = 1;
	fields_of[2].has_entries = 1, fields_of[2].entries = n;
	key.string = order, key.n_string = n;
	value.number = (uint64_t *)(uintptr_t)counts, value.n_number = n;
	m.field = at, m.n_field = 4;
	size_t size = ward__partial__get_packed_size(&m);
	bytes = malloc(size);
	ward__partial__pack(&m, bytes);
	int rc = ward_partial_unpack(schema, bytes, size, NULL, p, err);
	free(bytes);
	return rc;
}

static ward_partial *read_named(const ward_schema *schema, const char *const *texts, const uint64_t *counts, size_t n)
{
	ward_partial *p = NULL;
	struct ward_error err;
	cr_assert_eq(unpack_named(schema, texts, counts, n, &p, &err), 0, "%s", err.why);
	return p;
}

static uint64_t count_of(const struct ward_field *f, const char *text)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->entries[i].keys[0].text, text) == 0)
			return f->entries[i].values[0].value;
	return 0;
}

/*
 * One place is one key, also where a machine has no symbols; so are two builds' places of one name. A place that
 * nobody has a symbol for keeps its own name; what has a symbol is never shown by another's.
 */
Test(partial, addresses_are_added_by_place_and_shown_by_symbol)
{
	static const char *const with[] = {"aa+10\037libc.so.6!read", "aa+20\037libc.so.6!write", "bb+9\037a!f"};
	static const char *const without[] = {"aa+10\037libc.so.6+0x10", "aa+30\037libc.so.6+0x30", "bb+9\037b!g"};
	static const char *const another[] = {"\0370x5", "cc+77\037libc.so.6!read", "libc.so.6!read"};
	static const uint64_t counts[] = {1, 20, 300}, more[] = {4000, 50000, 600000}, most[] = {7, 8000000, 90000000};
	struct ward_schema schema = new_schema();
	ward_partial *x[] = {read_named(&schema, with, counts, 3), read_named(&schema, without, more, 3),
		read_named(&schema, another, most, 3)};
	for (int turn = 0; turn < 6; turn++) {
		ward_partial *sum = read_named(&schema, with, counts, 0);
		for (int i = 0; i < 3; i++)
			cr_assert_eq(ward_partial_add(sum, x[turn < 3 ? (i + turn) % 3 : (9 - i - turn) % 3], NULL), 0);
		ward_snapshot *s = finish(sum);
		const struct ward_field *f = ward_snapshot_field(s, 2);
		cr_expect_eq(f->n, 6);
		cr_expect_eq(count_of(f, "libc.so.6!read"), 1 + 4000 + 8000000 + 90000000);
		cr_expect_eq(count_of(f, "libc.so.6!write"), 20);
		cr_expect_eq(count_of(f, "libc.so.6+0x30"), 50000);
		cr_expect_eq(count_of(f, "a!f"), 300);
		cr_expect_eq(count_of(f, "b!g"), 600000);
		cr_expect_eq(count_of(f, "0x5"), 7);
		ward_snapshot_free(s);
		ward_partial_free(sum);
	}
	for (int i = 0; i < 3; i++)
		ward_partial_free(x[i]);
}

/* A stack has a longer name than an address, and not one of any length (W-09). */
Test(partial, stacks_are_added_by_name)
{
	enum { STACK = 16384, ADDRESS = 1024 };
	static char text[STACK + 2] = "\037";
	static const uint64_t counts[] = {5};
	const char *texts[] = {text};
	struct state_field of_stacks[sizeof(fields) / sizeof(fields[0])];
	struct ward_schema schema = new_schema();
	ward_partial *p = NULL;
	struct ward_error err;
	memset(text + 1, 'f', STACK);
	cr_expect_eq(unpack_named(&schema, texts, counts, 1, &p, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "of at most 1024 (W-09)"), "%s", err.why);
	memcpy(of_stacks, fields, sizeof(fields));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		of_stacks[i].scalar.is_stack = of_stacks[i].scalar.is_address;
	schema.fields = of_stacks;
	cr_expect_eq(unpack_named(&schema, texts, counts, 1, &p, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "of at most 16384 (W-09)"), "%s", err.why);
	text[STACK] = 0;
	p = read_named(&schema, texts, counts, 1);
	cr_assert_eq(ward_partial_add(p, p, NULL), 0);
	ward_snapshot *s = finish(p);
	const struct ward_field *f = ward_snapshot_field(s, 2);
	cr_expect_eq(f->n, 1);
	cr_expect_eq(count_of(f, text + 1), 10);
	cr_expect(f->parts[0].is_stack && f->entries[0].keys[0].is_stack);
	ward_snapshot_free(s);
	ward_partial_free(p);
}

/* What came in between; and what has no difference is named, with nothing changed. */
Test(partial, a_difference_is_what_came_in_between)
{
	ward_schema sums = new_schema(), all = new_schema();
	struct state first = {.calls = 3, .by_site[0] = {1, 4, 2}, .by_site[1] = {1, 5, 1}},
		     then = {.calls = 10, .by_site[0] = {1, 4, 9}, .by_site[1] = {1, 5, 1}, .by_site[2] = {1, 6, 0}};
	struct ward_error err = {0};

	sums.n = 5; /* without the ring */
	ward_partial *before = take(&sums, NULL, &first), *after = take(&sums, NULL, &then);
	struct ward_partial_notes notes = {.size = sizeof(notes), .events = 100, .sequence = 8};
	cr_assert_eq(ward_partial_note(after, &notes, NULL), 0);
	notes = (struct ward_partial_notes){.size = sizeof(notes), .events = 30, .sequence = 7};
	cr_assert_eq(ward_partial_note(before, &notes, NULL), 0);
	cr_assert_eq(ward_partial_subtract(after, before, &err), 0, "%s", err.why);
	ward_snapshot *s = finish(after);
	const struct ward_field *by_site = ward_snapshot_field(s, 1);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 7);
	cr_assert_eq(by_site->n, 2); /* of 5 nothing came; 6 came, though it has counted nothing */
	cr_expect(by_site->entries[0].key == 4 && by_site->entries[0].value == 7);
	cr_expect(by_site->entries[1].key == 6 && by_site->entries[1].value == 0);
	cr_expect_eq(ward_partial_notes(after).events, 70);
	cr_expect_eq(ward_partial_notes(after).sequence, 8);
	ward_snapshot_free(s);

	ward_partial *rings = take(&all, NULL, &then), *none = take(&all, NULL, &first);
	cr_expect_eq(ward_partial_subtract(rings, none, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.why, "ring: a ring has no difference of two times");
	s = finish(rings);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 10);
	ward_snapshot_free(s);
	cr_expect_eq(ward_partial_subtract(rings, before, &err), WARD_E_USAGE);
	ward_partial_free(before), ward_partial_free(after), ward_partial_free(rings), ward_partial_free(none);
}

Test(partial, what_is_shaped_differently_is_not_added)
{
	ward_names *names;
	struct ward_error err;
	struct ward_schema schema = new_schema(), shorter = {.n = 2, .fields = fields};
	struct state_field other_fields[] = {fields[0], fields[1]};
	struct ward_schema other = {.n = 2, .fields = other_fields};
	struct state state = {.calls = 3};
	cr_assert_eq(ward_names_open(getpid(), &names, NULL), 0);
	other_fields[1].map.key.is_signed = true;
	ward_partial *p = take(&schema, NULL, &state), *named = take(&schema, names, &state),
		     *less = take(&shorter, NULL, &state), *odd = take(&other, NULL, &state);
	cr_expect_eq(ward_partial_add(p, named, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.why, "they are of different shapes");
	cr_expect_eq(ward_partial_add(p, less, &err), WARD_E_USAGE);
	cr_expect_eq(ward_partial_add(less, odd, &err), WARD_E_USAGE);
	cr_expect_eq(ward_partial_add(odd, odd, &err), 0);
	ward_partial_free(p);
	ward_partial_free(named);
	ward_partial_free(less);
	ward_partial_free(odd);
	ward_names_close(names);
}

/* Records of two sessions are all kept, in order of time. */
Test(partial, records_are_put_in_order)
{
	struct ward_schema schema = new_schema();
	struct state a = {.next = 2, .record = {{1, 10}, {2, 30}}}, b = {.next = 1, .record = {{1, 20}}};
	ward_partial *x = take(&schema, NULL, &a), *y = take(&schema, NULL, &b);
	cr_assert_eq(ward_partial_add(x, y, NULL), 0);
	cr_assert_eq(ward_partial_add(x, y, NULL), 0);
	ward_snapshot *s = finish(x);
	const struct ward_field *f = ward_snapshot_field(s, 3);
	static const uint64_t times[] = {10, 20, 20, 30};
	cr_assert_eq(f->n, 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(f->records[i].members[0].value, times[i]);
	ward_snapshot_free(s);
	ward_partial_free(x);
	ward_partial_free(y);
}

/* Above the limit nothing changes. */
Test(partial, memory_is_limited)
{
	struct ward_schema schema = new_schema();
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = 480};
	struct ward_error err;
	struct state a = {.calls = 1}, b = {.calls = 2};
	const void *one[] = {&a}, *other[] = {&b};
	ward_partial *x, *y;
	for (uint32_t i = 0; i < SLOTS; i++) {
		a.by_site[i].used = b.by_site[i].used = 1;
		a.by_site[i].site = i, b.by_site[i].site = SLOTS + i;
	}
	cr_assert_eq(ward_partial_merge(&schema, NULL, one, 1, sizeof(a), &limits, &x, &err), 0, "%s", err.why);
	cr_assert_eq(ward_partial_merge(&schema, NULL, other, 1, sizeof(b), &limits, &y, NULL), 0);
	size_t before = ward_partial_memory(x);
	cr_expect(before > 100 && before <= 480);
	cr_expect_eq(ward_partial_add(x, y, &err), WARD_E_SYSTEM);
	cr_expect_str_eq(err.why, "adding them takes more than 480 bytes of memory");
	cr_expect_eq(ward_partial_memory(x), before);
	ward_snapshot *s = finish(x);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 1);
	cr_expect_eq(ward_snapshot_field(s, 1)->n, (size_t)SLOTS);
	ward_snapshot_free(s);
	ward_partial_free(x);
	limits.memory = 200;
	cr_expect_eq(ward_partial_merge(&schema, NULL, one, 1, sizeof(a), &limits, &x, &err), WARD_E_SYSTEM);
	cr_expect_str_eq(err.why, "the state takes more than 200 bytes of memory");
	cr_expect_null(x);
	limits.bytes = WARD_PARTIAL_MOST_BYTES + 1;
	cr_expect_eq(ward_partial_merge(&schema, NULL, one, 1, sizeof(a), &limits, &x, &err), WARD_E_USAGE);
	ward_partial_free(y);
}

Test(partial, notes_are_kept)
{
	struct ward_schema schema = new_schema();
	struct state state = {0};
	struct ward_partial_notes first = {.size = sizeof(first), .query = "a", .epoch = 3, .flags = 1, .events = 5},
				  second = {.size = sizeof(second), .query = "b", .epoch = 4, .flags = 4, .events = 6};
	ward_partial *x = take(&schema, NULL, &state), *y = take(&schema, NULL, &state);
	cr_assert_eq(ward_partial_note(x, &first, NULL), 0);
	cr_assert_eq(ward_partial_note(y, &second, NULL), 0);
	cr_assert_eq(ward_partial_add(x, y, NULL), 0);
	struct ward_partial_notes sum = ward_partial_notes(x);
	cr_expect_eq(sum.query[0], 'a');
	cr_expect_eq(sum.epoch, 3);
	cr_expect_eq(sum.flags, 5);
	cr_expect_eq(sum.events, 11);
	second.size = 1;
	cr_expect_eq(ward_partial_note(y, &second, NULL), WARD_E_USAGE);
	ward_partial_free(x);
	ward_partial_free(y);
}

/* ---- what random states hardly ever show ---- */

struct number {
	uint64_t count, sum;
	uint32_t real;
};

static ward_snapshot *merge_numbers(const struct number *numbers, size_t n)
{
	static struct state_field number_fields[] = {{.name = "mean",
							     .kind = WARD_FIELD_MEAN,
							     .size = 16,
							     .count = {.offset = 0, .size = 8},
							     .scalar = {.offset = 8, .size = 8},
							     .precision = 4},
		{.name = "real",
			.kind = WARD_FIELD_REAL,
			.offset = 16,
			.size = 4,
			.scalar = {.offset = 16, .size = 4}}};
	static struct ward_schema schema = {.n = 2, .fields = number_fields};
	ward_partial *sum = NULL, *p = NULL;
	ward_snapshot *s = NULL;
	cr_assert_eq(ward_partial_merge(&schema, NULL, NULL, 0, sizeof(*numbers), NULL, &sum, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const void *states[] = {&numbers[i]};
		cr_assert_eq(ward_partial_merge(&schema, NULL, states, 1, sizeof(*numbers), NULL, &p, NULL), 0);
		cr_assert_eq(ward_partial_add(sum, p, NULL), 0);
		ward_partial_free(p);
	}
	cr_assert_eq(ward_partial_finish(sum, &s, NULL), 0);
	ward_partial_free(sum);
	return s;
}

/* A sum of more than 64 bits, and the weights of both. */
Test(partial, means_are_of_exact_sums)
{
	struct number numbers[] = {{100, (1ull << 62) << 1, 0}, {100, (1ull << 62) << 1, 0}, {1, 0, 0}};
	ward_snapshot *s = merge_numbers(numbers, 2);
	cr_expect_eq(ward_snapshot_field(s, 0)->real, 0x1p59);
	cr_expect_eq(ward_snapshot_field(s, 0)->count, 200);
	ward_snapshot_free(s);
	s = merge_numbers(numbers, 3);
	cr_expect_eq(ward_snapshot_field(s, 0)->real, 0x1p59 * 64 / 65);
	ward_snapshot_free(s);
	s = merge_numbers(numbers, 0);
	cr_expect(ward_snapshot_field(s, 0)->is_empty);
	ward_snapshot_free(s);
}

/* The greatest, whatever the order; what is no number is less than any that is, and 0 is what was never written. */
Test(partial, reals_have_one_order)
{
	static const uint32_t ascending[] = {
		0, 0x7fc00000, 0x7fc00001, 0xffc00000, 0xff800000, 0xbf800000, 0x80000001, 1, 0x3f800000, 0x7f800000};
	for (size_t i = 0; i < sizeof(ascending) / sizeof(ascending[0]); i++) {
		for (size_t j = 0; j < sizeof(ascending) / sizeof(ascending[0]); j++) {
			struct number numbers[] = {{.real = ascending[i]}, {.real = ascending[j]}};
			ward_snapshot *s = merge_numbers(numbers, 2);
			cr_expect_eq(ward_snapshot_field(s, 1)->value, ascending[i > j ? i : j], "%zu %zu", i, j);
			ward_snapshot_free(s);
		}
	}
}
