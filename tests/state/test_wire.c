/* SPDX-License-Identifier: Apache-2.0 */
/* Partials as bytes: each check of spec/partial.md is broken, and what is right is read. */
#include <criterion/criterion.h>
#include <partial.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "ward/partial.h"

static struct ward_partial_limits limits = {.size = sizeof(limits), .memory = 1 << 20};

static ward_partial *take(uint64_t seed)
{
	static struct shape_state state;
	const void *states[] = {&state};
	ward_partial *p = NULL;
	struct ward_error err;
	shape_fill(&state, seed);
	cr_assert_eq(ward_partial_merge(&shape_schema, NULL, states, 1, sizeof(state), &limits, &p, &err), 0, "%s: %s",
		err.what, err.why);
	return p;
}

static void *pack(const ward_partial *p, size_t *size)
{
	void *bytes = NULL;
	struct ward_error err;
	cr_assert_eq(ward_partial_pack(p, &limits, &bytes, size, &err), 0, "%s", err.why);
	return bytes;
}

/* The message of a good partial, to be changed. */
static Ward__Partial *message(void)
{
	size_t size;
	ward_partial *p = take(1);
	void *bytes = pack(p, &size);
	Ward__Partial *m = ward__partial__unpack(NULL, size, bytes);
	cr_assert_not_null(m);
	cr_assert_eq(m->n_field, (size_t)SHAPE_FIELDS);
	free(bytes);
	ward_partial_free(p);
	return m;
}

/* Read the message as it is now: refused for this rule; NULL: it is read. */
static void expect(Ward__Partial *m, const char *rule)
{
	size_t size = ward__partial__get_packed_size(m);
	void *bytes = malloc(size);
	struct ward_error err = {0};
	ward_partial *p = (ward_partial *)bytes;
	ward__partial__pack(m, bytes);
	int status = ward_partial_unpack(&shape_schema, bytes, size, &limits, &p, &err);
	if (rule) {
		cr_expect_eq(status, WARD_E_USAGE, "%s", rule);
		cr_expect_null(p);
		cr_expect(strstr(err.why, rule), "%s: %s", rule, err.why);
		cr_expect_not_null(strstr(err.hint, "spec/partial.md"));
	} else {
		cr_expect_eq(status, 0, "%s", err.why);
		cr_expect_not_null(p);
		ward_partial_free(p);
	}
	free(bytes);
}

static void refuse(Ward__Partial *m, const char *rule)
{
	expect(m, rule);
	ward__partial__free_unpacked(m, NULL);
}

static void accept(Ward__Partial *m)
{
	expect(m, NULL);
	ward__partial__free_unpacked(m, NULL);
}

#define KEY(m, f, c) ((m)->field[f]->key[c])
#define VALUE(m, f, c) ((m)->field[f]->value[c])

/* One number more at the end. */
static void append(size_t *n, uint64_t **numbers, uint64_t number)
{
	*numbers = realloc(*numbers, (*n + 1) * sizeof(**numbers));
	(*numbers)[(*n)++] = number;
}

Test(wire, what_is_packed_is_read_and_packed_alike)
{
	for (uint64_t seed = 1; seed < 50; seed++) {
		size_t size, again;
		ward_partial *p = take(seed), *q = NULL;
		void *bytes = pack(p, &size), *copy;
		struct ward_error err;
		cr_assert_eq(ward_partial_unpack(&shape_schema, bytes, size, &limits, &q, &err), 0, "%s", err.why);
		copy = pack(q, &again);
		cr_expect(size == again && memcmp(bytes, copy, size) == 0);
		free(bytes);
		free(copy);
		ward_partial_free(p);
		ward_partial_free(q);
	}
}

Test(wire, notes_are_sent)
{
	struct ward_partial_notes notes = {.size = sizeof(notes),
		.query = "0123456789abcde",
		.epoch = 1,
		.nonce = UINT64_MAX,
		.sequence = 3,
		.flags = 5,
		.events = 6,
		.dropped = 7,
		.wall_ns = 8,
		.overhead_ppm = 9,
		.window = 10};
	ward_partial *p = take(1), *q = NULL;
	size_t size;
	cr_assert_eq(ward_partial_note(p, &notes, NULL), 0);
	void *bytes = pack(p, &size);
	cr_assert_eq(ward_partial_unpack(&shape_schema, bytes, size, NULL, &q, NULL), 0);
	struct ward_partial_notes read = ward_partial_notes(q);
	cr_expect_eq(memcmp(&notes, &read, sizeof(notes)), 0);
	free(bytes);
	ward_partial_free(p);
	ward_partial_free(q);
}

Test(wire, w01_bytes_are_limited)
{
	struct ward_partial_limits few = {.size = sizeof(few), .bytes = 64};
	struct ward_error err;
	size_t size;
	ward_partial *p = take(1), *q;
	void *bytes = pack(p, &size), *none;
	cr_expect_eq(ward_partial_unpack(&shape_schema, bytes, size, &few, &q, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "W-01"), "%s", err.why);
	cr_expect_eq(ward_partial_pack(p, &few, &none, &size, &err), WARD_E_SYSTEM);
	cr_expect_null(none);
	cr_expect(strstr(err.why, "above its limit without any entry: 64 bytes"), "%s", err.why);
	few.bytes = size;
	cr_expect_eq(ward_partial_unpack(&shape_schema, bytes, size, &few, &q, &err), 0);
	ward_partial_free(q);
	free(bytes);
	ward_partial_free(p);
}

/* Cut anywhere, and with a field that isn't known: in the message, a field, a column. */
Test(wire, w02_it_is_such_a_message)
{
	struct ward_error err;
	size_t size;
	ward_partial *p = take(1), *q;
	unsigned char *bytes = pack(p, &size);
	for (size_t n = 0; n < size; n++) {
		cr_expect_eq(ward_partial_unpack(&shape_schema, bytes, n, &limits, &q, &err), WARD_E_USAGE);
		cr_expect(strstr(err.why, "(W-0"), "%s", err.why);
	}
	unsigned char *more = malloc(size + 3);
	memcpy(more, bytes, size);
	memcpy(more + size, "\xf8\x01\x01", 3); /* field 31 is 1 */
	cr_expect_eq(ward_partial_unpack(&shape_schema, more, size + 3, &limits, &q, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "unknown fields (W-02)"), "%s", err.why);
	free(more);
	free(bytes);
	ward_partial_free(p);
}

/* What takes much more memory than bytes: empty fields, one after the other. */
Test(wire, w02_memory_is_in_proportion)
{
	enum { SIZE = 60000 };
	struct ward_error err;
	size_t size;
	ward_partial *p = take(1), *q;
	unsigned char *bytes = pack(p, &size), *many = malloc(SIZE);
	memcpy(many, bytes, size);
	for (size_t i = size; i + 2 <= SIZE; i += 2)
		memcpy(many + i, "\x6a\x00", 2); /* field 13, of no bytes */
	cr_expect_eq(
		ward_partial_unpack(&shape_schema, many, SIZE - (SIZE - size) % 2, &limits, &q, &err), WARD_E_USAGE);
	cr_expect(strstr(err.why, "too much memory (W-02)"), "%s", err.why);
	free(many);
	free(bytes);
	ward_partial_free(p);
}

Test(wire, w03_head)
{
	Ward__Partial *m = message();
	m->format = 2;
	refuse(m, "W-03");
	m = message();
	m->query.len = 15;
	refuse(m, "W-03");
	m = message();
	m->has_flags = 1, m->flags = 16;
	refuse(m, "W-03");
	m = message();
	m->has_flags = 1, m->flags = 7;
	accept(m);
}

Test(wire, w04_fields)
{
	Ward__Partial *m = message();
	m->n_field--;
	expect(m, "W-04");
	m->n_field++;
	accept(m);
}

Test(wire, w05_strings)
{
	Ward__Partial *m = message();
	cr_assert(m->n_text_size >= 3 && m->text_size[0] == 5);
	m->text_size[0] = UINT32_MAX;
	refuse(m, "ends behind the table (W-05)");
	m = message();
	m->text.len--;
	refuse(m, "W-05");
	m = message();
	m->n_text_size--;
	refuse(m, "longer than its strings (W-05)");
	m = message();
	m->text.data[2] = 0;
	refuse(m, "zero byte (W-05)");
	m = message();
	m->text.data[0] = 'g';
	refuse(m, "W-05");
	m = message();
	memcpy(m->text.data + 5, m->text.data, 5); /* one twice */
	refuse(m, "W-05");
}

Test(wire, w06_columns)
{
	Ward__Partial *m = message();
	m->field[SHAPE_BY_FD]->n_key = 0;
	expect(m, "W-06");
	m->field[SHAPE_BY_FD]->n_key = 1;
	accept(m);
	m = message();
	append(&m->field[SHAPE_BY_FD]->n_number, &m->field[SHAPE_BY_FD]->number, 1);
	refuse(m, "W-06");
	m = message();
	m->field[SHAPE_CALLS]->has_floor = 1, m->field[SHAPE_CALLS]->floor = 1;
	refuse(m, "W-06");
	m = message();
	m->field[SHAPE_CALLS]->has_lost = 1, m->field[SHAPE_CALLS]->lost = 1;
	refuse(m, "W-06");
	m = message();
	m->field[SHAPE_LAST]->has_lost = 1, m->field[SHAPE_LAST]->lost = 1;
	accept(m);
	m = message();
	append(&m->field[SHAPE_LAST]->n_number, &m->field[SHAPE_LAST]->number, 1);
	refuse(m, "W-06");
	m = message();
	append(&m->field[SHAPE_BY_FD]->n_other, &m->field[SHAPE_BY_FD]->other, 1); /* it has no such value */
	refuse(m, "W-06");
}

Test(wire, w07_lengths)
{
	Ward__Partial *m = message();
	m->field[SHAPE_BY_FD]->entries++;
	refuse(m, "keys are missing (W-07)");
	m = message();
	m->field[SHAPE_BY_FD]->entries--;
	refuse(m, "W-07");
	m = message();
	m->field[SHAPE_BY_FD]->entries = UINT64_MAX;
	refuse(m, "W-07");
	m = message();
	VALUE(m, SHAPE_BY_FD, 0)->n_number--;
	refuse(m, "W-07");
	m = message();
	VALUE(m, SHAPE_BY_FD, 0)->n_number = 0; /* all of them 0 */
	accept(m);
	m = message();
	KEY(m, SHAPE_BY_FILE, 0)->n_string--;
	refuse(m, "strings are missing (W-07)");
	m = message();
	append(&m->field[SHAPE_CALLS]->n_number, &m->field[SHAPE_CALLS]->number, 1);
	refuse(m, "left over (W-07)");
	m = message();
	m->field[SHAPE_CALLS]->n_number = 0;
	refuse(m, "W-07");
	m = message();
	append(&m->field[SHAPE_BY_FILE]->n_other, &m->field[SHAPE_BY_FILE]->other, 1);
	refuse(m, "left over (W-07)");
	m = message();
	m->field[SHAPE_BY_FILE]->n_other = 2;
	refuse(m, "W-07");
	m = message();
	m->field[SHAPE_BY_FILE]->n_other = 0;
	accept(m);
	m = message();
	m->field[SHAPE_KEYS]->registers.len--;
	refuse(m, "registers in the place of 16 (W-07)");
}

Test(wire, w08_keys_ascend)
{
	Ward__Partial *m = message();
	KEY(m, SHAPE_BY_FD, 0)->number[1] = 0;
	refuse(m, "W-08");
	m = message();
	KEY(m, SHAPE_HOT, 0)->number[1] = UINT64_MAX;
	KEY(m, SHAPE_HOT, 0)->number[0] = 2;
	refuse(m, "W-08");
	m = message();
	KEY(m, SHAPE_BY_FILE, 0)->string[0] = 1;
	KEY(m, SHAPE_BY_FILE, 0)->string[1] = 0;
	refuse(m, "W-08");
}

Test(wire, w09_keys_fit)
{
	Ward__Partial *m = message();
	KEY(m, SHAPE_BY_FD, 0)->number[0] = (1ull << 63) + (1ull << 31);
	refuse(m, "32 bits (W-09)");
	m = message();
	KEY(m, SHAPE_TABLE, 0)->number[0] = SHAPE_ELEMENTS;
	refuse(m, "no element 200 (W-09)");
	m = message();
	KEY(m, SHAPE_BY_FILE, 1)->number[0] = 1 << 17;
	refuse(m, "16 bits (W-09)");
	m = message();
	m->n_text_size = 1; /* all of it is one string */
	m->text_size[0] = (uint32_t)m->text.len;
	cr_assert(m->text.len > 16);
	for (size_t i = 0; i < KEY(m, SHAPE_BY_FILE, 0)->n_string; i++)
		KEY(m, SHAPE_BY_FILE, 0)->string[i] = 0;
	m->field[SHAPE_TITLE]->number[0] = 0;
	refuse(m, "of at most 16 (W-09)");
}

Test(wire, w10_indices)
{
	Ward__Partial *m = message();
	m->field[SHAPE_TITLE]->number[0] = m->n_text_size;
	refuse(m, "W-10");
	m = message();
	KEY(m, SHAPE_BY_FILE, 0)->string[0] = UINT32_MAX;
	refuse(m, "W-10");
}

Test(wire, w11_cells)
{
	Ward__Partial *m = message();
	uint64_t *number = m->field[SHAPE_BYTES]->number; /* how many, the first, and these */
	cr_assert(number[0] > 2 && number[0] + 2 == m->field[SHAPE_BYTES]->n_number);
	number[1] = 65 - number[0];
	expect(m, NULL);
	number[1]++;
	expect(m, "W-11");
	number[1] = UINT64_MAX;
	expect(m, "W-11");
	number[1] = 0;
	number[2] = 0;
	expect(m, "is 0 (W-11)");
	number[2] = 1;
	number[number[0] + 1] = 0;
	expect(m, "is 0 (W-11)");
	number[0] = UINT64_MAX;
	expect(m, "W-11");
	number[0] = 60;
	expect(m, "W-07");
	ward__partial__free_unpacked(m, NULL);
	m = message();
	cr_assert(VALUE(m, SHAPE_BY_ADDRESS, 1)->n_number > 3);
	VALUE(m, SHAPE_BY_ADDRESS, 1)->number[1] = 65;
	refuse(m, "W-11");
}

Test(wire, w12_words)
{
	Ward__Partial *m = message();
	cr_assert(m->field[SHAPE_KEYS]->has_registers);
	m->field[SHAPE_KEYS]->registers.data[3] = 61;
	expect(m, NULL);
	m->field[SHAPE_KEYS]->registers.data[3] = 62; /* more than 65 - 4 */
	refuse(m, "W-12");
	m = message();
	m->field[SHAPE_KEYS]->has_registers = 0;
	append(&m->field[SHAPE_KEYS]->n_number, &m->field[SHAPE_KEYS]->number, 15);
	expect(m, "W-07");
	append(&m->field[SHAPE_KEYS]->n_number, &m->field[SHAPE_KEYS]->number, 3);
	expect(m, NULL);
	m->field[SHAPE_KEYS]->number[0] = 16;
	expect(m, "W-12");
	m->field[SHAPE_KEYS]->number[0] = 0;
	m->field[SHAPE_KEYS]->number[1] = 300;
	refuse(m, "W-12");
	m = message();
	m->field[SHAPE_REAL]->number[0] = 1ull << 32;
	refuse(m, "W-12");
	m = message();
	m->field[SHAPE_MOOD]->number[0] = 2; /* is there one? */
	refuse(m, "W-12");
}

/* Eight bytes of memory for each of the message: a limit of ten times is kept to. */
Test(wire, w13_memory_is_limited)
{
	struct ward_partial_limits few = {.size = sizeof(few), .memory = 700};
	struct ward_error err;
	size_t size;
	ward_partial *p = take(1), *q = NULL;
	void *bytes = pack(p, &size);
	cr_expect_eq(ward_partial_unpack(&shape_schema, bytes, size, &few, &q, &err), WARD_E_SYSTEM);
	cr_expect_str_eq(err.why, "the message takes more than 700 bytes of memory");
	cr_expect_null(q);
	free(bytes);
	ward_partial_free(p);
}

/* Any byte changed, and any cut: refused, or a partial that can be added, packed and shown. */
Test(wire, any_byte_may_be_wrong)
{
	size_t size, ignored;
	ward_partial *p = take(7), *q = NULL;
	unsigned char *bytes = pack(p, &size);
	unsigned read = 0;
	for (size_t i = 0; i < size * 8; i++) {
		struct ward_error err;
		ward_snapshot *s = NULL;
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		int status = ward_partial_unpack(&shape_schema, bytes, size, &limits, &q, &err);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		cr_expect(status == 0 || (status == WARD_E_USAGE && strstr(err.why, "(W-")), "%zu: %d %s", i, status,
			err.why);
		if (status)
			continue;
		read++;
		cr_expect_eq(ward_partial_add(q, p, NULL), 0);
		cr_expect_eq(ward_partial_finish(q, &s, NULL), 0);
		free(pack(q, &ignored));
		ward_snapshot_free(s);
		ward_partial_free(q);
	}
	cr_expect(read > 100);
	free(bytes);
	ward_partial_free(p);
}

/* ---- sizes ---- */

static size_t packed_size(const ward_schema *schema, const void *state, size_t state_size)
{
	ward_partial *p;
	size_t size;
	void *bytes;
	struct ward_error err;
	cr_assert_eq(ward_partial_merge(schema, NULL, &state, 1, state_size, NULL, &p, &err), 0, "%s", err.why);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &size, &err), 0, "%s", err.why);
	free(bytes);
	ward_partial_free(p);
	return size;
}

Test(wire, a_map_of_1024_counts_has_3200_bytes)
{
	struct slot {
		uint32_t used, key;
		uint64_t value;
	};
	struct state_field field = {.name = "map",
		.kind = WARD_FIELD_MAP,
		.size = 16 * 1024,
		.map = {.stride = 16,
			.n = 1024,
			.used = {.offset = 0, .size = 4},
			.key = {.offset = 4, .size = 4},
			.value = {.offset = 8, .size = 8}}};
	struct ward_schema schema = {.n = 1, .fields = &field};
	struct slot *slots = calloc(1024, sizeof(*slots));
	for (uint32_t i = 0; i < 1024; i++)
		slots[i] = (struct slot){1, i * 7, 200 + i};
	size_t size = packed_size(&schema, slots, 16 * 1024);
	cr_expect(size <= 3200, "%zu", size);
	free(slots);
}

/* Texts that are the same stand in the message once. */
Test(wire, a_map_of_1024_texts_and_stats)
{
	struct slot {
		uint32_t used;
		int32_t key;
		char text[16];
		uint64_t count, sum, high, min, max;
	};
	struct state_field fields[] = {{.name = "map",
					       .kind = WARD_FIELD_MAP,
					       .size = 64 * 1024,
					       .n_keys = 2,
					       .n_values = 1,
					       .map = {.stride = 64,
						       .n = 1024,
						       .used = {.offset = 0, .size = 4},
						       .value_offset = 24,
						       .value_size = 40}},
		{.name = "key",
			.kind = WARD_FIELD_VALUE,
			.part = STATE_KEY,
			.offset = 4,
			.size = 4,
			.scalar = {.offset = 4, .size = 4, .is_signed = true}},
		{.name = "text",
			.kind = WARD_FIELD_TEXT,
			.part = STATE_KEY,
			.offset = 8,
			.size = 16,
			.scalar = {.offset = 8, .size = 1},
			.n = 16},
		{.name = "value",
			.kind = WARD_FIELD_STAT,
			.part = STATE_VALUE,
			.offset = 24,
			.size = 40,
			.count = {.offset = 24, .size = 8},
			.scalar = {.offset = 32, .size = 8},
			.high = {.offset = 40, .size = 8},
			.min = {.offset = 48, .size = 8},
			.max = {.offset = 56, .size = 8}}};
	struct ward_schema schema = {.n = 4, .fields = fields};
	struct slot *slots = calloc(1024, sizeof(*slots));
	for (unsigned texts = 20; texts <= 1024; texts += 1004) {
		for (int i = 0; i < 1024; i++) {
			slots[i] = (struct slot){
				.used = 1, .key = i, .count = 100, .sum = (uint64_t)i * 10, .min = 3, .max = 120};
			snprintf(slots[i].text, sizeof(slots[i].text), "worker/%05u", (unsigned)i % texts);
		}
		size_t size = packed_size(&schema, slots, 64 * 1024);
		cr_expect(size <= (texts == 20 ? 11000 : 22000), "%u texts: %zu", texts, size);
	}
	free(slots);
}

/* ---- what can have become of a partial ---- */

static ward_partial *take_state(const struct shape_state *state)
{
	const void *states[] = {state};
	ward_partial *p = NULL;
	cr_assert_eq(ward_partial_merge(&shape_schema, NULL, states, 1, sizeof(*state), NULL, &p, NULL), 0);
	return p;
}

/* One number less: `field` is what has fallen; NULL: it may. */
static void expect_fall(const struct shape_state *before, const struct shape_state *after, const char *field)
{
	ward_partial *x = take_state(before), *y = take_state(after);
	struct ward_error err = {0};
	cr_expect_eq(ward_partial_follows(x, y, &err), field ? WARD_E_USAGE : 0, "%s: %s", field, err.why);
	cr_expect(!field || strncmp(err.why, field, strlen(field)) == 0, "%s: %s", field, err.why);
	cr_expect_eq(ward_partial_follows(y, x, NULL), 0, "%s", field);
	ward_partial_free(x);
	ward_partial_free(y);
}

Test(wire, what_only_rises_never_falls)
{
	static struct shape_state before, after;
	shape_fill(&before, 3);
	for (unsigned i = 0; i < 40; i++)
		before.bytes[i]++, before.waits[i]++, before.sizes[i % SHAPE_BUCKETS]++,
			before.keys[i % SHAPE_REGISTERS] = (uint8_t)(1 + i % 40);
#define FALLS(member, name) \
	after = before; \
	cr_assert(after.member); \
	after.member--; \
	expect_fall(&before, &after, name)
	FALLS(bytes[0], "bytes: ");
	FALLS(bytes[39], "bytes: ");
	FALLS(sizes[3], "sizes: ");
	FALLS(waits[7], "waits: ");
	FALLS(keys[5], "keys: ");
	FALLS(times.count, "times: ");
	FALLS(passed, "gate: ");
	FALLS(refused, "gate: ");
	FALLS(calls, NULL);
#undef FALLS
	after = before;
	memset(after.by_fd, 0, sizeof(after.by_fd));
	expect_fall(&before, &after, NULL);
}

/* ---- by machine ---- */

static ward_partial *take_by(const ward_schema *by, uint64_t seed, const char *machine)
{
	ward_partial *p = take(seed), *q = NULL;
	struct ward_error err;
	cr_assert_eq(ward_partial_by(p, by, machine, NULL, &q, &err), 0, "%s", err.why);
	ward_partial_free(p);
	return q;
}

static ward_snapshot *finish(const ward_partial *p)
{
	ward_snapshot *s = NULL;
	cr_assert_eq(ward_partial_finish(p, &s, NULL), 0);
	return s;
}

/* Is the entry, without its machine, that of another snapshot? */
static bool is_entry_of(const struct ward_map_entry *e, const struct ward_field *by, const struct ward_field *f)
{
	bool has = ward_kind(f->kind)->form != WARD_FORM_ENTRIES && e->values[0].value == f->value &&
		   e->values[0].count == f->count && e->values[0].n == f->n;
	for (size_t i = 0; !has && i < f->n && ward_kind(f->kind)->form == WARD_FORM_ENTRIES; i++) {
		const struct ward_map_entry *x = &f->entries[i];
		has = e->value == x->value && e->error == x->error;
		for (uint32_t k = 1; has && k < by->n_keys; k++) {
			const struct ward_field *key = &e->keys[k];
			if (!x->keys)
				has = key->value == x->key;
			else if (key->text)
				has = strcmp(key->text, x->keys[k - 1].text) == 0;
			else
				has = key->value == x->keys[k - 1].value;
		}
	}
	return has;
}

/* Each machine's entries are what it has alone; none is missing. */
Test(wire, by_machine_each_has_its_own)
{
	ward_schema *by = NULL;
	struct ward_error err;
	cr_assert_eq(ward_schema_by(&shape_schema, "machine", &by, &err), 0, "%s", err.why);
	cr_assert_eq(ward_schema_fields(by), (size_t)SHAPE_FIELDS);
	ward_partial *sum = take_by(by, 5, "web1"), *other = take_by(by, 6, "web2"), *x = take(5), *y = take(6);
	cr_assert_eq(ward_partial_add(sum, other, &err), 0, "%s", err.why);
	ward_snapshot *s = finish(sum), *a = finish(x), *b = finish(y);
	for (size_t i = 0; i < SHAPE_FIELDS; i++) {
		const struct ward_field *f = ward_snapshot_field(s, i),
					*alone[] = {ward_snapshot_field(a, i), ward_snapshot_field(b, i)};
		bool is_map = ward_kind(alone[0]->kind)->form == WARD_FORM_ENTRIES;
		if (i == SHAPE_LAST) {
			cr_expect_eq(f->n, alone[0]->n + alone[1]->n);
			continue;
		}
		cr_expect_eq(f->n, is_map ? alone[0]->n + alone[1]->n : 2, "%s", f->name);
		cr_expect_eq(f->n_keys, f->kind == WARD_FIELD_MAP && !is_map ? 1 : f->n_keys);
		cr_expect_str_eq(f->parts[0].name, "machine");
		for (size_t e = 0; e < f->n; e++) {
			const char *machine = f->entries[e].keys[0].text;
			cr_expect(strcmp(machine, "web1") == 0 || strcmp(machine, "web2") == 0, "%s", machine);
			cr_expect(is_entry_of(&f->entries[e], f, alone[machine[3] == '2']), "%s %zu", f->name, e);
		}
	}
	ward_snapshot_free(s), ward_snapshot_free(a), ward_snapshot_free(b);
	ward_partial_free(x), ward_partial_free(y), ward_partial_free(sum), ward_partial_free(other);
	ward_schema_free(by);
}

struct parts_seen {
	const ward_partial *wanted[3];
	const char *texts[3];
	size_t n;
};

static void *own_bytes(const ward_partial *p, size_t *size)
{
	struct ward_partial_notes none = {.size = sizeof(none)};
	ward_partial *copy;
	void *bytes = NULL;
	cr_assert_eq(ward_partial_copy(p, &copy, NULL), 0);
	cr_assert_eq(ward_partial_note(copy, &none, NULL), 0);
	cr_assert_eq(ward_partial_pack(copy, NULL, &bytes, size, NULL), 0);
	ward_partial_free(copy);
	return bytes;
}

static bool part_check(void *user, const char *text, ward_partial *partial)
{
	struct parts_seen *seen = user;
	size_t n, m;
	cr_assert_lt(seen->n, (size_t)3);
	cr_expect_str_eq(text, seen->texts[seen->n]);
	void *got = own_bytes(partial, &n), *wanted = own_bytes(seen->wanted[seen->n], &m);
	cr_expect(n == m && memcmp(got, wanted, n) == 0, "%s: %zu and %zu bytes", text, n, m);
	free(got), free(wanted);
	ward_partial_free(partial);
	return ++seen->n < 3;
}

/* The way back: each machine's partial is what it was. What isn't by machine is in the first one. */
Test(wire, by_machine_and_back)
{
	static struct shape_state one, two, three;
	ward_schema *by;
	ward_partial *p[3], *sum = NULL, *q;
	struct parts_seen seen = {.texts = {"a long name of a machine", "b", "c"}};
	struct ward_error err;
	const struct shape_state *states[] = {&one, &two, &three};

	shape_fill(&one, 5), shape_fill(&two, 6), shape_fill(&three, 7);
	for (size_t i = 0; i < 3; i++) {
		struct shape_state *s = (struct shape_state *)states[i];
		/* of all these there is one for all: keys without room, and a top that has room has no floor */
		s->lost = s->file_lost = s->other_count = s->other_sum = s->other_high = s->next = 0;
		s->other_min = s->other_max = 0;
		s->seen_samples = s->seen_events = 0;
		s->hot[0].count = 0;
		p[i] = take_state(s);
		seen.wanted[i] = p[i];
	}
	cr_assert_eq(ward_schema_by(&shape_schema, "machine", &by, &err), 0, "%s", err.why);
	cr_assert_eq(ward_partial_merge(by, NULL, NULL, 0, SIZE_MAX, NULL, &sum, &err), 0, "%s", err.why);
	for (size_t i = 3; i-- > 0;) {
		cr_assert_eq(ward_partial_by(p[i], by, seen.texts[i], NULL, &q, &err), 0, "%s", err.why);
		cr_assert_eq(ward_partial_add(sum, q, &err), 0, "%s", err.why);
		ward_partial_free(q);
	}
	cr_assert_eq(ward_partial_apart(sum, part_check, &seen, &err), 0, "%s", err.why);
	cr_expect_eq(seen.n, 3);
	for (size_t i = 0; i < 3; i++)
		ward_partial_free(p[i]);
	ward_partial_free(sum);
	ward_schema_free(by);
}

/* It is packed and read as any other; partials with and without can't be added, nor can one be by two texts. */
Test(wire, by_machine_it_is_a_partial_as_any_other)
{
	ward_schema *by, *again;
	struct ward_error err;
	size_t size, n;
	cr_assert_eq(ward_schema_by(&shape_schema, "machine", &by, &err), 0, "%s", err.why);
	ward_partial *p = take_by(by, 5, "web1"), *x = take(5), *q = NULL;
	void *bytes = pack(p, &size), *copy;
	cr_assert_eq(ward_partial_unpack(by, bytes, size, &limits, &q, &err), 0, "%s", err.why);
	copy = pack(q, &n);
	cr_expect(n == size && memcmp(bytes, copy, n) == 0);
	ward_partial_free(q);
	cr_expect_eq(ward_partial_unpack(&shape_schema, bytes, size, &limits, &q, &err), WARD_E_USAGE);
	cr_expect_eq(ward_partial_add(p, x, &err), WARD_E_USAGE);
	cr_expect_eq(ward_partial_by(p, by, "web1", NULL, &q, &err), WARD_E_USAGE);
	cr_expect_eq(ward_schema_by(by, "rack", &again, &err), WARD_E_USAGE);
	cr_expect_eq(ward_schema_by(&shape_schema, "a b", &again, &err), WARD_E_USAGE);
	cr_expect_null(again);
	cr_expect_eq(ward_partial_by(x, by, "web1", &(struct ward_partial_limits){.size = sizeof(limits), .memory = 99},
			     &q, &err),
		WARD_E_SYSTEM);
	const void *state = &size;
	cr_expect_eq(ward_partial_merge(by, NULL, &state, 1, sizeof(size), NULL, &q, &err), WARD_E_USAGE);
	free(bytes), free(copy);
	ward_partial_free(p), ward_partial_free(x);
	ward_schema_free(by);
}
