/* SPDX-License-Identifier: Apache-2.0 */
/* Fields from debug information: as compilers write it, and malformed. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"
#include "loader/state/schema.h"

enum { STATE_SIZE = 1 << 16 };

static unsigned char *read_fixture(const char *name, size_t *size)
{
	char path[512];
	snprintf(path, sizeof(path), FIXTURES "/%s", name);
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	unsigned char *data = malloc(1 << 20);
	*size = fread(data, 1, 1 << 20, f);
	cr_assert(*size > 0 && *size < 1 << 20);
	fclose(f);
	return data;
}

static const char *const compiled[] = {
	"fixture-gcc-dwarf4.so",
	"fixture-gcc-dwarf5.so",
	"fixture-clang-19-dwarf4.so",
	"fixture-clang-19-dwarf5.so",
};

#define AT(member) offsetof(struct ward_state, member)
#define OF(member) AT(member), sizeof(((struct ward_state *)0)->member)
#define IN(struct_type, member) offsetof(struct_type, member), sizeof(((struct_type *)0)->member)
#define AFTER(member, n) (AT(member) + sizeof(((struct ward_state *)0)->member) + (n))
#define SLOT(member) __typeof__(((struct ward_state *)0)->member.slot[0])

/*
 * What every compiler must say of fixture.c; parts stand behind what they are parts of, with their offsets in a slot.
 */
static const struct {
	const char *name;
	enum ward_field_kind kind;
	size_t offset, size;
	bool is_signed;
	enum state_part part;
} expected[] = {
	{"calls", WARD_FIELD_COUNT, OF(calls), false, STATE_WHOLE},
	{"bytes", WARD_FIELD_LOG2, OF(bytes), false, STATE_WHOLE},
	{"by_fd", WARD_FIELD_MAP, OF(by_fd), true, STATE_WHOLE},
	{"in[0].a", WARD_FIELD_COUNT, OF(in[0].a), false, STATE_WHOLE},
	{"in[0].b", WARD_FIELD_VALUE, OF(in[0].b), true, STATE_WHOLE},
	{"in[0].pointer", WARD_FIELD_MAX, OF(in[0].pointer), false, STATE_WHOLE},
	{"in[0].real", WARD_FIELD_REAL, OF(in[0].real), false, STATE_WHOLE},
	{"in[1].a", WARD_FIELD_COUNT, OF(in[1].a), false, STATE_WHOLE},
	{"in[1].b", WARD_FIELD_VALUE, OF(in[1].b), true, STATE_WHOLE},
	{"in[1].pointer", WARD_FIELD_MAX, OF(in[1].pointer), false, STATE_WHOLE},
	{"in[1].real", WARD_FIELD_REAL, OF(in[1].real), false, STATE_WHOLE},
	{"in[2].a", WARD_FIELD_COUNT, OF(in[2].a), false, STATE_WHOLE},
	{"in[2].b", WARD_FIELD_VALUE, OF(in[2].b), true, STATE_WHOLE},
	{"in[2].pointer", WARD_FIELD_MAX, OF(in[2].pointer), false, STATE_WHOLE},
	{"in[2].real", WARD_FIELD_REAL, OF(in[2].real), false, STATE_WHOLE},
	{"anon", WARD_FIELD_VALUE, OF(anon), true, STATE_WHOLE},
	{"u8", WARD_FIELD_VALUE, OF(u8), false, STATE_WHOLE},
	{"either.x", WARD_FIELD_VALUE, OF(either.x), true, STATE_WHOLE},
	{"bits", WARD_FIELD_VALUE, AFTER(either, 0), 1, false, STATE_WHOLE},
	{"few", WARD_FIELD_VALUE, AFTER(either, 0), 1, true, STATE_WHOLE},
	{"mood", WARD_FIELD_MAX, AFTER(either, 0), 4, true, STATE_WHOLE},
	{"many", WARD_FIELD_VALUE, AFTER(either, 0), 8, false, STATE_WHOLE},
	{"grid[0][0]", WARD_FIELD_COUNT, OF(grid[0][0]), false, STATE_WHOLE},
	{"grid[0][1]", WARD_FIELD_COUNT, OF(grid[0][1]), false, STATE_WHOLE},
	{"grid[0][2]", WARD_FIELD_COUNT, OF(grid[0][2]), false, STATE_WHOLE},
	{"grid[1][0]", WARD_FIELD_COUNT, OF(grid[1][0]), false, STATE_WHOLE},
	{"grid[1][1]", WARD_FIELD_COUNT, OF(grid[1][1]), false, STATE_WHOLE},
	{"grid[1][2]", WARD_FIELD_COUNT, OF(grid[1][2]), false, STATE_WHOLE},
	{"sc", WARD_FIELD_VALUE, OF(sc), true, STATE_WHOLE},
	{"by_port", WARD_FIELD_MAP, OF(by_port), false, STATE_WHOLE},
	{"text", WARD_FIELD_TEXT, OF(text), true, STATE_WHOLE},
	{"last", WARD_FIELD_COUNT, OF(last), false, STATE_WHOLE},
	{"least", WARD_FIELD_MIN, OF(least), false, STATE_WHOLE},
	{"most", WARD_FIELD_MAX, OF(most), false, STATE_WHOLE},
	{"stat", WARD_FIELD_STAT, OF(stat), false, STATE_WHOLE},
	{"stat_signed", WARD_FIELD_STAT, OF(stat_signed), true, STATE_WHOLE},
	{"linear", WARD_FIELD_LINEAR, OF(linear), false, STATE_WHOLE},
	{"quantiles", WARD_FIELD_QUANTILES, OF(quantiles), false, STATE_WHOLE},
	{"ewma", WARD_FIELD_MEAN, OF(ewma), false, STATE_WHOLE},
	{"window", WARD_FIELD_MEAN, OF(window), false, STATE_WHOLE},
	{"sample", WARD_FIELD_GATE, OF(sample), false, STATE_WHOLE},
	{"rate", WARD_FIELD_GATE, OF(rate), false, STATE_WHOLE},
	{"hll", WARD_FIELD_DISTINCT, OF(hll), false, STATE_WHOLE},
	{"places", WARD_FIELD_MAP, OF(places), false, STATE_WHOLE},
	{"line", WARD_FIELD_VALUE, IN(SLOT(places), key.line), true, STATE_KEY},
	{"name", WARD_FIELD_TEXT, IN(SLOT(places), key.name), true, STATE_KEY},
	{"calls", WARD_FIELD_COUNT, IN(SLOT(places), value.calls), false, STATE_VALUE},
	{"sizes", WARD_FIELD_LOG2, IN(SLOT(places), value.sizes), false, STATE_VALUE},
	{"recent", WARD_FIELD_MAP, OF(recent), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(recent), key), false, STATE_KEY},
	{"value", WARD_FIELD_LOG2, IN(SLOT(recent), value), false, STATE_VALUE},
	{"top", WARD_FIELD_TOP, OF(top), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(top), key), false, STATE_KEY},
	{"chopstix", WARD_FIELD_CHOPSTIX, OF(chopstix), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(chopstix), key), true, STATE_KEY},
	{"ring", WARD_FIELD_RING, OF(ring), false, STATE_WHOLE},
	{"time", WARD_FIELD_VALUE, IN(SLOT(ring), record.time), false, STATE_VALUE},
	{"at", WARD_FIELD_VALUE, IN(SLOT(ring), record.at), false, STATE_VALUE},
	{"colour", WARD_FIELD_VALUE, IN(SLOT(ring), record.colour), false, STATE_VALUE},
	{"text", WARD_FIELD_TEXT, IN(SLOT(ring), record.text), true, STATE_VALUE},
	{"flight", WARD_FIELD_FLIGHT, OF(flight), false, STATE_WHOLE},
	{"time", WARD_FIELD_VALUE, IN(SLOT(ring), record.time), false, STATE_VALUE},
	{"at", WARD_FIELD_VALUE, IN(SLOT(ring), record.at), false, STATE_VALUE},
	{"colour", WARD_FIELD_VALUE, IN(SLOT(ring), record.colour), false, STATE_VALUE},
	{"text", WARD_FIELD_TEXT, IN(SLOT(ring), record.text), true, STATE_VALUE},
	{"moods[0]", WARD_FIELD_MAX, OF(moods[0]), true, STATE_WHOLE},
	{"moods[1]", WARD_FIELD_MAX, OF(moods[1]), true, STATE_WHOLE},
	{"by_rights", WARD_FIELD_MAP, OF(by_rights), false, STATE_WHOLE},
	{"mood_of", WARD_FIELD_MAP, OF(mood_of), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(mood_of), key), true, STATE_KEY},
	{"value", WARD_FIELD_MAX, IN(SLOT(mood_of), value), true, STATE_VALUE},
	{"title", WARD_FIELD_TEXT, OF(title), true, STATE_WHOLE},
	{"words[0][0]", WARD_FIELD_TEXT, OF(words[0][0]), true, STATE_WHOLE},
	{"words[0][1]", WARD_FIELD_TEXT, OF(words[0][1]), true, STATE_WHOLE},
	{"words[1][0]", WARD_FIELD_TEXT, OF(words[1][0]), true, STATE_WHOLE},
	{"words[1][1]", WARD_FIELD_TEXT, OF(words[1][1]), true, STATE_WHOLE},
	{"raw[0]", WARD_FIELD_VALUE, OF(raw[0]), false, STATE_WHOLE},
	{"raw[1]", WARD_FIELD_VALUE, OF(raw[1]), false, STATE_WHOLE},
	{"unions[0].first", WARD_FIELD_VALUE, OF(unions[0].first), true, STATE_WHOLE},
	{"unions[1].first", WARD_FIELD_VALUE, OF(unions[1].first), true, STATE_WHOLE},
	{"wide", WARD_FIELD_WIDE, OF(wide), false, STATE_WHOLE},
	{"real", WARD_FIELD_REAL, OF(real), false, STATE_WHOLE},
	{"bits_of_double", WARD_FIELD_REAL, OF(bits_of_double), false, STATE_WHOLE},
	{"bits_of_float[0]", WARD_FIELD_REAL, OF(bits_of_float[0]), false, STATE_WHOLE},
	{"sparse", WARD_FIELD_ARRAY, OF(sparse), false, STATE_WHOLE},
	{"value", WARD_FIELD_VALUE, 0, 8, false, STATE_VALUE},
	{"rows[0]", WARD_FIELD_ARRAY, OF(rows[0]), false, STATE_WHOLE},
	{"value", WARD_FIELD_VALUE, 0, 8, false, STATE_VALUE},
	{"rows[1]", WARD_FIELD_ARRAY, OF(rows[1]), false, STATE_WHOLE},
	{"value", WARD_FIELD_VALUE, 0, 8, false, STATE_VALUE},
	{"rows[2]", WARD_FIELD_ARRAY, OF(rows[2]), false, STATE_WHOLE},
	{"value", WARD_FIELD_VALUE, 0, 8, false, STATE_VALUE},
	{"twice[0][0]", WARD_FIELD_VALUE, OF(twice[0][0]), true, STATE_WHOLE},
	{"twice[0][1]", WARD_FIELD_VALUE, OF(twice[0][1]), true, STATE_WHOLE},
	{"twice[1][0]", WARD_FIELD_VALUE, OF(twice[1][0]), true, STATE_WHOLE},
	{"twice[1][1]", WARD_FIELD_VALUE, OF(twice[1][1]), true, STATE_WHOLE},
	{"parts", WARD_FIELD_ARRAY, OF(parts), false, STATE_WHOLE},
	{"n", WARD_FIELD_COUNT, IN(struct part, n), false, STATE_VALUE},
	{"deep[0][0]", WARD_FIELD_VALUE, IN(struct part, deep[0][0]), true, STATE_VALUE},
	{"deep[0][1]", WARD_FIELD_VALUE, IN(struct part, deep[0][1]), true, STATE_VALUE},
	{"deep[0][2]", WARD_FIELD_VALUE, IN(struct part, deep[0][2]), true, STATE_VALUE},
	{"deep[1][0]", WARD_FIELD_VALUE, IN(struct part, deep[1][0]), true, STATE_VALUE},
	{"deep[1][1]", WARD_FIELD_VALUE, IN(struct part, deep[1][1]), true, STATE_VALUE},
	{"deep[1][2]", WARD_FIELD_VALUE, IN(struct part, deep[1][2]), true, STATE_VALUE},
	{"name", WARD_FIELD_TEXT, IN(struct part, name), true, STATE_VALUE},
	{"lines", WARD_FIELD_ARRAY, OF(lines), false, STATE_WHOLE},
	{"value", WARD_FIELD_TEXT, 0, 6, true, STATE_VALUE},
	{"addresses[0]", WARD_FIELD_MAX, OF(addresses[0]), false, STATE_WHOLE},
	{"addresses[1]", WARD_FIELD_MAX, OF(addresses[1]), false, STATE_WHOLE},
	{"sizes", WARD_FIELD_ARRAY, OF(sizes), false, STATE_WHOLE},
	{"value", WARD_FIELD_STAT, 0, sizeof(ward_stat), false, STATE_VALUE},
	{"by_mixed", WARD_FIELD_MAP, OF(by_mixed), false, STATE_WHOLE},
	{"first", WARD_FIELD_VALUE, IN(SLOT(by_mixed), key.first), true, STATE_KEY},
	{"first", WARD_FIELD_VALUE, IN(SLOT(by_mixed), value.first), true, STATE_VALUE},
	{"held[0].ring", WARD_FIELD_RING, OF(held[0].ring), false, STATE_WHOLE},
	{"n", WARD_FIELD_COUNT, IN(SLOT(held[0].ring), record.n), false, STATE_VALUE},
	{"deep[0][0]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][0]), true, STATE_VALUE},
	{"deep[0][1]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][1]), true, STATE_VALUE},
	{"deep[0][2]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][2]), true, STATE_VALUE},
	{"deep[1][0]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][0]), true, STATE_VALUE},
	{"deep[1][1]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][1]), true, STATE_VALUE},
	{"deep[1][2]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][2]), true, STATE_VALUE},
	{"name", WARD_FIELD_TEXT, IN(SLOT(held[0].ring), record.name), true, STATE_VALUE},
	{"held[1].ring", WARD_FIELD_RING, OF(held[1].ring), false, STATE_WHOLE},
	{"n", WARD_FIELD_COUNT, IN(SLOT(held[0].ring), record.n), false, STATE_VALUE},
	{"deep[0][0]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][0]), true, STATE_VALUE},
	{"deep[0][1]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][1]), true, STATE_VALUE},
	{"deep[0][2]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[0][2]), true, STATE_VALUE},
	{"deep[1][0]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][0]), true, STATE_VALUE},
	{"deep[1][1]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][1]), true, STATE_VALUE},
	{"deep[1][2]", WARD_FIELD_VALUE, IN(SLOT(held[0].ring), record.deep[1][2]), true, STATE_VALUE},
	{"name", WARD_FIELD_TEXT, IN(SLOT(held[0].ring), record.name), true, STATE_VALUE},
	{"took", WARD_FIELD_VALUE, OF(took), false, STATE_WHOLE},
	{"spread", WARD_FIELD_LOG2, OF(spread), false, STATE_WHOLE},
	{"window_of", WARD_FIELD_MEAN, OF(window_of), false, STATE_WHOLE},
	{"by_ns", WARD_FIELD_MAP, OF(by_ns), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(by_ns), key), true, STATE_KEY},
	{"value", WARD_FIELD_VALUE, IN(SLOT(by_ns), value), false, STATE_VALUE},
	{"moment", WARD_FIELD_MAX, OF(moment), false, STATE_WHOLE},
	{"first_moment", WARD_FIELD_MIN, OF(first_moment), false, STATE_WHOLE},
	{"moments", WARD_FIELD_MAP, OF(moments), false, STATE_WHOLE},
	{"key", WARD_FIELD_VALUE, IN(SLOT(moments), key), true, STATE_KEY},
	{"value", WARD_FIELD_MAX, IN(SLOT(moments), value), false, STATE_VALUE},
	{"timed", WARD_FIELD_RING, OF(timed), false, STATE_WHOLE},
	{"time", WARD_FIELD_VALUE, IN(SLOT(timed), record.time), false, STATE_VALUE},
	{"n", WARD_FIELD_VALUE, IN(SLOT(timed), record.n), true, STATE_VALUE},
	{"mistimed", WARD_FIELD_RING, OF(mistimed), false, STATE_WHOLE},
	{"time", WARD_FIELD_VALUE, IN(SLOT(mistimed), record.time), false, STATE_VALUE},
	{"n", WARD_FIELD_VALUE, IN(SLOT(mistimed), record.n), true, STATE_VALUE},
	{"queue", WARD_FIELD_QUEUE, OF(queue), false, STATE_WHOLE},
	{"time", WARD_FIELD_VALUE, IN(SLOT(queue), record.time), false, STATE_VALUE},
	{"n", WARD_FIELD_VALUE, IN(SLOT(queue), record.n), true, STATE_VALUE},
};
enum { N_EXPECTED = sizeof(expected) / sizeof(expected[0]) };

/* What it must leave out, where that is declared, and why. */
static const struct {
	const char *name;
	enum state_why why;
} left_out[] = {
	{"nested.value.map", STATE_WHY_NESTED},
	{"longer", STATE_WHY_TYPE},
	{"pairs[]", STATE_WHY_TYPE},
	{"parts[].much", STATE_WHY_ARRAY},
	{"five", STATE_WHY_DEEP},
	{"by_longer.key", STATE_WHY_TYPE},
	{"by_mixed.key", STATE_WHY_HOLES}, /* a union whose first member is the shorter one */
	{"held[].ring.record.much", STATE_WHY_ARRAY},
};
enum { N_LEFT_OUT = sizeof(left_out) / sizeof(left_out[0]) };

static const struct state_field *field_named(const struct state_field *f, const char *name)
{
	while (strcmp(f->name, name) != 0 || f->part != STATE_WHOLE)
		f++;
	return f;
}

static void check_maps(const struct state_field *f)
{
	const struct state_map *by_fd = &field_named(f, "by_fd")->map, *by_port = &field_named(f, "by_port")->map;
	const struct state_map *places = &field_named(f, "places")->map, *recent = &field_named(f, "recent")->map;
	cr_expect(by_fd->n == 1024 && by_fd->stride == 16 && by_fd->lost.offset == AT(by_fd.lost) &&
		  by_fd->slots == AT(by_fd.slot) && by_fd->other == AT(by_fd.other));
	cr_expect(by_port->n == 4 && by_port->key.size == 2 && by_port->value.is_signed);
	cr_expect(places->n == 2 && places->slots == AT(places.slot) && places->other == AT(places.other) &&
		  places->value_size == sizeof(struct measured));
	cr_expect(
		recent->n == 4 && recent->evicted.offset == AT(recent.evicted) && !recent->other && !recent->lost.size);
}

static void check_others(const struct state_field *f)
{
	const struct state_field *linear = field_named(f, "linear"), *ring = field_named(f, "ring");
	const struct state_map *flight = &field_named(f, "flight")->map;
	cr_expect(linear->lo == -10 && linear->step == 5 && linear->n == 6);
	cr_expect(field_named(f, "quantiles")->precision == 2 && field_named(f, "quantiles")->n == 63 * 4);
	cr_expect(field_named(f, "ewma")->precision == 3 && field_named(f, "window")->n == 4 &&
		  field_named(f, "hll")->n == 16);
	cr_expect(ring->map.n == 8 && ring->map.evicted.offset == AT(ring.next) && ring->n_values == 4 &&
		  ring->n_keys == 0 && ring->map.taken.size == 0);
	const struct state_field *queue = field_named(f, "queue");
	cr_expect(queue->map.n == 4 && queue->map.evicted.offset == AT(queue.next) &&
		  queue->map.taken.offset == AT(queue.taken) && queue->map.lost.offset == AT(queue.lost));
	cr_expect(flight->n == 4 && flight->rings == 2 &&
		  flight->ring_stride == sizeof(((struct ward_state *)0)->flight.ring[0]) &&
		  flight->slots == AT(flight.ring[0].slot) && flight->events.offset == AT(flight.dumps) &&
		  flight->lost.offset == AT(flight.missed));
	cr_expect(field_named(f, "took")->unit == WARD_UNIT_COUNTS && field_named(f, "spread")->unit == WARD_UNIT_NS &&
		  field_named(f, "window_of")->unit == WARD_UNIT_COUNTS && field_named(f, "window")->unit == 0 &&
		  field_named(f, "by_ns")[2].unit == WARD_UNIT_NS);
	cr_expect(field_named(f, "moment")->unit == WARD_UNIT_TIME && field_named(f, "moment")->kind == WARD_FIELD_MAX,
		"the sum of moments would be none");
	cr_expect(field_named(f, "first_moment")->unit == WARD_UNIT_TIME &&
		  field_named(f, "first_moment")->kind == WARD_FIELD_MIN);
	cr_expect(field_named(f, "moments")[2].unit == WARD_UNIT_TIME);
	cr_expect(field_named(f, "timed")[1].unit == WARD_UNIT_TIME && field_named(f, "timed")[2].unit == 0,
		"a record's time needs no type of its own");
	cr_expect(field_named(f, "mistimed")[1].unit == 0, "of four bytes it is no moment");
	cr_expect(field_named(f, "chopstix")->map.events.offset == AT(chopstix.events) &&
		  field_named(f, "chopstix")->map.evicted.offset == AT(chopstix.samples));
}

static void check_fixture(const struct state_field *f, size_t n, const char *file)
{
	cr_assert_eq(n, (size_t)N_EXPECTED, "%s: %zu fields", file, n);
	for (size_t i = 0; i < n; i++) {
		cr_expect_str_eq(f[i].name, expected[i].name, "%s", file);
		cr_expect_eq(f[i].kind, expected[i].kind, "%s: %s", file, f[i].name);
		cr_expect_eq(f[i].offset, expected[i].offset, "%s: %s at %u", file, f[i].name, f[i].offset);
		cr_expect_eq(f[i].size, expected[i].size, "%s: %s has %u", file, f[i].name, f[i].size);
		cr_expect_eq(f[i].part, expected[i].part, "%s: %s", file, f[i].name);
		bool is_signed =
			f[i].kind == WARD_FIELD_MAP && !f[i].n_keys ? f[i].map.key.is_signed : f[i].scalar.is_signed;
		cr_expect_eq(is_signed, expected[i].is_signed, "%s: %s", file, f[i].name);
	}
	check_maps(f);
	check_others(f);
}

Test(types, fields_by_type_name)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]); i++) {
		size_t size;
		unsigned char *image = read_fixture(compiled[i], &size);
		long n = state_describe(
			image, size, "struct ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
		check_fixture(fields, (size_t)n, compiled[i]);
		n = state_describe(image, size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
		check_fixture(fields, (size_t)n, compiled[i]);
		free(image);
	}
}

Test(types, fields_by_entry_function)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]); i++) {
		size_t size;
		unsigned char *image = read_fixture(compiled[i], &size);
		long n = state_describe(image, size, "", "on_event", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
		check_fixture(fields, (size_t)n, compiled[i]);
		free(image);
	}
}

/* ---- what isn't shown ---- */

static void check_place(const struct state_unshown *u, const char *file)
{
	static const char end[] = "/fixture.h";
	size_t n = strlen(u->file);
	cr_expect(n > strlen(end) && strcmp(u->file + n - strlen(end), end) == 0, "%s: %s: %s", file, u->name, u->file);
	cr_expect(u->line > 20 && u->line < 150, "%s: %s: line %u", file, u->name, u->line);
}

Test(types, what_is_left_out_is_noted)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]); i++) {
		size_t size;
		unsigned char *image = read_fixture(compiled[i], &size);
		state_describe(image, size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, &notes);
		cr_expect(notes.is_described);
		cr_assert_eq(notes.n, (uint32_t)N_LEFT_OUT, "%s: %u", compiled[i], notes.n);
		for (uint32_t k = 0; k < notes.n; k++) {
			cr_expect_str_eq(notes.unshown[k].name, left_out[k].name, "%s", compiled[i]);
			cr_expect_eq(notes.unshown[k].why, left_out[k].why, "%s: %s", compiled[i], left_out[k].name);
			check_place(&notes.unshown[k], compiled[i]);
		}
		free(image);
	}
}

/* The first member without room is named, with those behind it. */
Test(types, no_room_is_noted)
{
	struct state_field fields[5];
	static struct state_notes notes;
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	cr_expect_eq(state_describe(image, size, "ward_state", "", STATE_SIZE, fields, 5, &notes), 5);
	cr_assert_eq(notes.n, 1u);
	cr_expect_str_eq(notes.unshown[0].name, "in[].pointer");
	cr_expect_eq(notes.unshown[0].why, (uint32_t)STATE_WHY_FULL);
	free(image);
}

Test(types, no_type_is_no_description)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	cr_expect_eq(state_describe(image, size, "nothing", "", STATE_SIZE, fields, STATE_MAX_FIELDS, &notes), 0);
	cr_expect(!notes.is_described && notes.n == 0);
	free(image);
}

/* Notes may be anything: those that come through can be printed. */
Test(types, notes_that_lie)
{
	static struct state_notes notes;
	static const char *const names[] = {"a[].b", "", "\033[2J", "a b", "m.key.x"};
	for (unsigned round = 0; round < 100; round++) {
		notes.n = STATE_MAX_UNSHOWN;
		for (uint32_t i = 0; i < notes.n; i++) {
			struct state_unshown *u = &notes.unshown[i];
			memset(u, rand() % 8 ? 0 : 'x', sizeof(*u));
			u->why = (uint32_t)rand() % (STATE_WHYS + 2);
			if (!*u->name)
				strcpy(u->name, names[(size_t)rand() % 5]);
		}
		state_notes_check(&notes);
		cr_assert(notes.n > 0 && notes.n < STATE_MAX_UNSHOWN);
		for (uint32_t i = 0; i < notes.n; i++)
			cr_assert(notes.unshown[i].why < STATE_WHYS && state_name_valid(notes.unshown[i].name) &&
				  strnlen(notes.unshown[i].file, STATE_MAX_FILE) < STATE_MAX_FILE);
	}
}

/* ---- enumerations ---- */

/* Fields point into the schema: it stays where it is. */
static void read_schema(
	const char *file, struct state_field *fields, struct state_notes *notes, struct ward_schema *schema)
{
	size_t size;
	unsigned char *image = read_fixture(file, &size);
	*schema = (struct ward_schema){.fields = fields, .notes = notes};
	schema->n = (size_t)state_describe(image, size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, notes);
	free(image);
	cr_assert(state_enumerate(schema, &notes->names));
}

static void expect_name(const struct state_field *f, uint64_t value, const char *expected)
{
	char text[64] = "none";
	bool found = ward_enumeration_name(f->enumeration, value, text, sizeof(text));
	cr_expect_eq(found, expected != NULL, "%s: %lld", f->name, (long long)value);
	cr_expect_str_eq(text, expected ? expected : "none", "%s: %lld", f->name, (long long)value);
}

Test(types, names_of_enumerations)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]); i++) {
		struct ward_schema schema;
		read_schema(compiled[i], fields, &notes, &schema);
		const struct state_field *moods = field_named(fields, "moods[1]"),
					 *rights = field_named(fields, "by_rights"),
					 *of = field_named(fields, "mood_of") + 2;
		cr_assert(moods->enumeration && rights->enumeration && !field_named(fields, "by_fd")->enumeration, "%s",
			compiled[i]);
		cr_expect_eq(moods->enumeration, field_named(fields, "moods[0]")->enumeration, "read once");
		cr_expect_eq(moods->enumeration, of->enumeration);
		cr_expect(!moods->enumeration->is_flags && moods->enumeration->n == 3);
		expect_name(moods, (uint64_t)-2, "SAD");
		expect_name(moods, (uint64_t)-1, "MEH");
		expect_name(moods, 200, "GLAD"); /* the first of two */
		expect_name(moods, 0, NULL);
		expect_name(moods, (uint64_t)-3, NULL);
		cr_expect(rights->enumeration->is_flags);
		expect_name(rights, 0, "NONE");
		expect_name(rights, 4, "EXEC");
		expect_name(rights, 3, "READ|WRITE");
		expect_name(rights, 7, "READ|WRITE|EXEC");
		expect_name(rights, 8, NULL);
		expect_name(rights, 9, NULL);
		expect_name(field_named(fields, "top") + 1, 1, "GREEN");
		expect_name(field_named(fields, "top") + 1, 2, NULL);
		/* two names that follow each other are no flags */
		expect_name(field_named(fields, "top") + 1, 3, NULL);
		expect_name(field_named(fields, "calls"), 1, NULL);
		free(schema.enumerators);
	}
}

Test(types, names_are_cut)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	struct ward_schema schema;
	read_schema(compiled[0], fields, &notes, &schema);
	const struct ward_enumeration *rights = field_named(fields, "by_rights")->enumeration;
	for (size_t room = 1; room < 20; room++) {
		char *text = malloc(room);
		cr_assert(ward_enumeration_name(rights, 7, text, room));
		cr_expect_eq(strlen(text), room - 1 < 15 ? room - 1 : 15);
		cr_expect_eq(strncmp("READ|WRITE|EXEC", text, room - 1), 0);
		free(text);
	}
	free(schema.enumerators);
}

/*
 * What the child sends may be anything: names that are some come through, of enumerations that there are; numbers of
 * fields that name none name nothing.
 */
Test(types, names_that_lie)
{
	static struct state_names names;
	struct state_field fields[] = {{.names = 1}, {.names = STATE_MAX_ENUMERATIONS},
		{.names = STATE_MAX_ENUMERATIONS + 1}, {.names = UINT32_MAX}};
	static const char *const texts[] = {"A", "", "\033[2J", "B", "7", "a b", "C"};
	size_t kept = 0;
	for (unsigned round = 0; round < 40; round++) {
		struct ward_schema schema = {.n = 4, .fields = fields};
		names.n = round ? (size_t)rand() % STATE_MAX_ENUMERATORS + 1 : STATE_MAX_ENUMERATORS;
		for (size_t i = 0; i < names.n; i++) {
			struct state_enumerator *e = &names.at[i];
			*e = (struct state_enumerator){(uint64_t)rand() % 5000,
				(uint32_t)rand() % (STATE_MAX_ENUMERATIONS * 2), (uint32_t)rand(), ""};
			strcpy(e->name, texts[(size_t)rand() % 7]);
			if (rand() % 8 == 0)
				memset(e->name, 'x', sizeof(e->name));
		}
		cr_assert(state_enumerate(&schema, &names));
		cr_expect(fields[2].enumeration == NULL && fields[3].enumeration == NULL);
		for (size_t k = 0; k < STATE_MAX_ENUMERATIONS; k++)
			for (size_t i = 0; i < schema.enumerations[k].n; i++) {
				const struct ward_enumerator *e = &schema.enumerations[k].names[i];
				cr_assert(strlen(e->name) == 1 && *e->name >= 'A' && *e->name <= 'C');
				cr_assert(i == 0 || e[-1].value < e->value);
				kept++;
			}
		free(schema.enumerators);
	}
	cr_expect_gt(kept, (size_t)1000);
}

Test(types, unknown_names_give_no_fields)
{
	struct state_field fields[4];
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	cr_expect_eq(state_describe(image, size, "struct nothing", "", STATE_SIZE, fields, 4, NULL), 0);
	cr_expect_eq(state_describe(image, size, "", "nothing", STATE_SIZE, fields, 4, NULL), 0);
	cr_expect_eq(state_describe(image, size, "", "", STATE_SIZE, fields, 4, NULL), 0);
	cr_expect_eq(state_describe("no ELF", 6, "struct ward_state", "", STATE_SIZE, fields, 4, NULL), 0);
	free(image);
}

Test(types, room_for_fewer_fields)
{
	struct state_field fields[5];
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	cr_expect_eq(state_describe(image, size, "ward_state", "", STATE_SIZE, fields, 5, NULL), 5);
	cr_expect_str_eq(fields[4].name, "in[0].b");
	free(image);
}

/* A state of 1,000 bytes can't hold what the debug information says of a larger one. */
Test(types, type_larger_than_the_state)
{
	struct state_field fields[8];
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	cr_expect_eq(state_describe(image, size, "ward_state", "", 1000, fields, 8, NULL), 0,
		"by name: the struct is not this state");
	long n = state_describe(image, size, "", "on_event", 1000, fields, 8, NULL);
	cr_expect_eq(n, 2, "by function: %ld fields", n);
	free(image);
}

Test(types, cycle_of_siblings)
{
	struct state_field fields[4];
	size_t size;
	unsigned char *image = read_fixture("cycle.so", &size);
	cr_expect_eq(state_describe(image, size, "ward_state", "", STATE_SIZE, fields, 4, NULL), 0);
	free(image);
}

/* The reader dies in its child: the file seems to go on into memory that can't be read. */
Test(types, reader_that_crashes)
{
	struct state_field fields[4];
	size_t size;
	unsigned char *file = read_fixture(compiled[0], &size);
	unsigned char *image = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(image, MAP_FAILED);
	memcpy(image, file, 4096);
	cr_assert_eq(mprotect(image + 4096, (1 << 20) - 4096, PROT_NONE), 0);
	cr_expect_eq(state_describe(image, size, "ward_state", "", STATE_SIZE, fields, 4, NULL), 0);
	munmap(image, 1 << 20);
	free(file);
}

Test(types, truncated_at_every_length)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	size_t size;
	unsigned char *image = read_fixture(compiled[1], &size);
	for (size_t n = 0; n < size; n += 7) {
		unsigned char *exact = malloc(n ? n : 1);
		memcpy(exact, image, n);
		size_t got =
			state_types_read(exact, n, "ward_state", "", STATE_SIZE, NULL, fields, STATE_MAX_FIELDS, NULL);
		for (size_t i = 0; i < got; i++)
			cr_assert(state_field_valid(&fields[i], STATE_SIZE));
		free(exact);
	}
	free(image);
}

/* Merge whatever fields we got over states of exactly the right size: the sanitizers see a read outside them. */
static void merge_garbage(struct state_field *fields, size_t n)
{
	static unsigned seed = 1;
	const void *states[2];
	struct ward_schema schema = {.n = n, .fields = fields};
	ward_snapshot *snapshot;
	for (int t = 0; t < 2; t++) {
		unsigned char *state = malloc(STATE_SIZE);
		for (size_t i = 0; i < STATE_SIZE; i++)
			state[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
		states[t] = state;
	}
	cr_assert_eq(ward_snapshot_merge(&schema, states, 2, STATE_SIZE, &snapshot, NULL), WARD_OK);
	ward_snapshot_free(snapshot);
	free((void *)states[0]);
	free((void *)states[1]);
}

/*
 * Change each byte of the debug sections in several ways. Every description that comes out must be one that the merger
 * can trust.
 */
static void flip_all(const char *file)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	static const unsigned char patterns[] = {0x01, 0x40, 0x80, 0xff};
	size_t size, readings = 0, changed = 0;
	unsigned char *image = read_fixture(file, &size);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	const Elf64_Shdr *shdr = (const Elf64_Shdr *)(image + ehdr->e_shoff);
	const char *names = (const char *)image + shdr[ehdr->e_shstrndx].sh_offset;
	for (int s = 0; s < ehdr->e_shnum; s++) {
		const char *name = names + shdr[s].sh_name;
		if (strcmp(name, ".debug_info") && strcmp(name, ".debug_abbrev") && strcmp(name, ".debug_str"))
			continue;
		for (size_t i = 0; i < shdr[s].sh_size * 4; i++) {
			unsigned char *byte = image + shdr[s].sh_offset + i / 4;
			*byte ^= patterns[i % 4];
			notes.n = 0;
			notes.names.n = 0;
			size_t n = state_types_read(image, size, "ward_state", "on_event", STATE_SIZE, NULL, fields,
				STATE_MAX_FIELDS, &notes);
			cr_assert_leq(notes.names.n, (size_t)STATE_MAX_ENUMERATORS);
			cr_assert_leq(notes.n, (uint32_t)STATE_MAX_UNSHOWN);
			for (size_t j = 0; j < n; j++)
				cr_assert(state_field_valid(&fields[j], STATE_SIZE), "%s: %s + %zu", file, name, i / 4);
			if (n && n != N_EXPECTED && readings % 16 == 0)
				merge_garbage(fields, n);
			changed += n != N_EXPECTED;
			readings++;
			*byte ^= patterns[i % 4];
		}
	}
	cr_expect(readings > 1000 && changed > 100, "%s: %zu readings, %zu of them changed the fields", file, readings,
		changed);
	free(image);
}

Test(types, flipped_gcc_dwarf4)
{
	flip_all(compiled[0]);
}
Test(types, flipped_gcc_dwarf5)
{
	flip_all(compiled[1]);
}
Test(types, flipped_clang_dwarf4)
{
	flip_all(compiled[2]);
}
Test(types, flipped_clang_dwarf5)
{
	flip_all(compiled[3]);
}

Test(types, validity_of_fields)
{
	struct state_field good = {
		.name = "a", .kind = WARD_FIELD_COUNT, .offset = 8, .size = 8, .scalar = {.offset = 8, .size = 8}};
	struct state_field f;
	cr_expect(state_field_valid(&good, 16));
	cr_expect_not(state_field_valid(&good, 15), "past the state");
	f = good, f.name[0] = '\033';
	cr_expect_not(state_field_valid(&f, 16), "a name that a terminal acts on");
	f = good, f.name[0] = 0;
	cr_expect_not(state_field_valid(&f, 16), "no name");
	f = good, memset(f.name, 'a', sizeof(f.name));
	cr_expect_not(state_field_valid(&f, 16), "an endless name");
	f = good, f.scalar.offset = 9;
	cr_expect_not(state_field_valid(&f, 32), "an integer elsewhere");
	f = good, f.scalar.size = f.size = 3;
	cr_expect_not(state_field_valid(&f, 32), "three bytes");
	f = good, f.offset = f.scalar.offset = 0xfffffff8;
	cr_expect_not(state_field_valid(&f, 32), "a sum that overflows");
	f = good, f.kind = 9;
	cr_expect_not(state_field_valid(&f, 32), "an unknown kind");
	f = good, f.kind = WARD_FIELD_LOG2;
	cr_expect_not(state_field_valid(&f, 4096), "a histogram of one bucket");
}

Test(types, validity_of_maps)
{
	struct state_field good = {
		.name = "m",
		.kind = WARD_FIELD_MAP,
		.offset = 16,
		.size = 40,
		.map = {.lost = {.offset = 16, .size = 8},
			.slots = 24,
			.stride = 16,
			.n = 2,
			.used = {.offset = 0, .size = 4},
			.key = {.offset = 4, .size = 4, .is_signed = true},
			.value = {.offset = 8, .size = 8}},
	};
	struct state_field f;
	cr_expect(state_field_valid(&good, 56));
	cr_expect_not(state_field_valid(&good, 55), "past the state");
	f = good, f.map.n = 3;
	cr_expect_not(state_field_valid(&f, 4096), "more slots than bytes");
	f = good, f.map.n = 0xffffffff;
	cr_expect_not(state_field_valid(&f, 4096), "a product that overflows");
	f = good, f.map.stride = 0;
	cr_expect_not(state_field_valid(&f, 4096), "slots of no size");
	f = good, f.map.value.offset = 9;
	cr_expect_not(state_field_valid(&f, 4096), "a value past its slot");
	f = good, f.map.slots = 8;
	cr_expect_not(state_field_valid(&f, 4096), "slots before the map");
	f = good, f.map.lost.offset = 60;
	cr_expect_not(state_field_valid(&f, 4096), "lost past the map");
	f = good, f.n_values = 1;
	cr_expect_not(state_field_valid(&f, 4096), "entries without keys have no values either");
	f = good, f.kind = WARD_FIELD_TOP, f.n_keys = 1, f.map.error = f.map.value;
	cr_expect(state_field_valid(&f, 4096));
	f.map.other = 24;
	cr_expect_not(state_field_valid(&f, 4096), "only maps keep the value of keys without room");
	f = good, f.kind = WARD_FIELD_COUNT, f.scalar = (struct state_int){.offset = 16, .size = 8}, f.size = 8;
	cr_expect(state_field_valid(&f, 4096));
	f.n_keys = 1;
	cr_expect_not(state_field_valid(&f, 4096), "a count has no keys");
}

/* Merge a group of fields over two states of the size that it was found valid for. Without memory is an answer, too. */
static void merge_group(struct state_field *fields, size_t n, uint64_t size)
{
	const void *states[2];
	struct ward_schema schema = {.n = n, .fields = fields};
	ward_snapshot *snapshot = NULL;
	for (int t = 0; t < 2; t++) {
		unsigned char *state = malloc(size);
		for (size_t i = 0; i < size; i++)
			state[i] = (unsigned char)(rand() & (t ? 0xff : 1));
		states[t] = state;
	}
	cr_assert_neq(ward_snapshot_merge(&schema, states, 2, size, &snapshot, NULL), WARD_E_USAGE);
	ward_snapshot_free(snapshot);
	free((void *)states[0]);
	free((void *)states[1]);
}

/*
 * The child that reads the debug information may send anything: groups with any of their words changed are refused, or
 * stay within the state.
 */
Test(types, groups_that_lie)
{
	static const uint32_t lies[] = {
		0, 1, 2, 7, 8, 64, 0xff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
	static struct state_field fields[STATE_MAX_FIELDS], changed[STATE_MAX_FIELDS];
	size_t image_size, refused = 0, accepted = 0;
	unsigned char *image = read_fixture(compiled[3], &image_size);
	long n = state_describe(image, image_size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
	for (size_t i = 0, group; i < (size_t)n; i += group) {
		uint64_t end = (uint64_t)fields[i].offset + fields[i].size;
		group = state_group_valid(&fields[i], (size_t)n - i, end);
		cr_assert_gt(group, (size_t)0);
		cr_assert_eq(state_group_valid(&fields[i], group, end - 1), (size_t)0, "%s", fields[i].name);
		merge_group(&fields[i], group, end);
		for (unsigned round = 0; round < 100; round++) {
			size_t word = sizeof(fields[0].name) / 4 +
				      (size_t)rand() % ((sizeof(fields[0]) - sizeof(fields[0].name)) / 4);
			uint32_t lie = round & 1 ? lies[(size_t)rand() % (sizeof(lies) / sizeof(lies[0]))]
						 : (uint32_t)rand() % 300;
			memcpy(changed, &fields[i], group * sizeof(*changed));
			memcpy((char *)&changed[(size_t)rand() % group] + word * 4, &lie, 4);
			state_forget_addresses(changed, group);
			size_t valid = state_group_valid(changed, group, end);
			refused += valid != group;
			accepted += valid == group;
			if (valid == group)
				merge_group(changed, group, end);
		}
	}
	cr_assert(refused > 200 && accepted > 200, "%zu refused, %zu accepted", refused, accepted);
	free(image);
}

/* The cursor of a queue is written: it must be a whole, aligned word of the state. */
Test(types, cursors_that_are_none)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	size_t image_size;
	unsigned char *image = read_fixture(compiled[3], &image_size);
	long n = state_describe(image, image_size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
	struct state_field *queue = fields;
	while (queue < fields + n && queue->kind != WARD_FIELD_QUEUE)
		queue++;
	cr_assert_lt(queue, fields + n);
	const struct state_int taken = queue->map.taken,
			       lies[] = {{0}, {.offset = taken.offset + 4, .size = 8},
				       {.offset = taken.offset + 1, .size = 8}, {.offset = taken.offset, .size = 4},
				       {.offset = taken.offset, .size = 8, .bits = 3},
				       {.offset = STATE_SIZE - 7, .size = 8}, {.offset = STATE_SIZE, .size = 8},
				       {.offset = UINT32_MAX - 7, .size = 8}};
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		queue->map.taken = lies[i];
		cr_expect_eq(state_group_valid(queue, (size_t)(fields + n - queue), STATE_SIZE), (size_t)0, "%zu", i);
	}
	queue->map.taken = taken;
	cr_expect_eq(state_group_valid(queue, (size_t)(fields + n - queue), STATE_SIZE), (size_t)3);
	free(image);
}

static void have_waiting(struct state_field *f)
{
	f->map.taken = f->map.left = (struct state_int){.offset = (f->offset + 7) / 8 * 8, .size = 8};
	f->map.origin = (struct state_int){.size = 1};
	f->map.queue = f->map.slots;
	f->map.queued = 1;
}

/* Entries that wait for the reader: only of a map, within the state, and with all that a reader asks for. */
Test(types, waiting_entries_that_are_none)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	size_t image_size, maps = 0, others = 0;
	unsigned char *image = read_fixture(compiled[3], &image_size);
	long n = state_describe(image, image_size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
	for (size_t i = 0, group; i < (size_t)n; i += group) {
		struct state_field *f = &fields[i];
		group = state_group_valid(f, (size_t)n - i, STATE_SIZE);
		cr_assert_gt(group, (size_t)0);
		if (!f->map.n)
			continue;
		have_waiting(f);
		const struct state_field good = *f;
		bool is_map = f->kind == WARD_FIELD_MAP;
		struct state_field lies[] = {good, good, good, good};
		lies[0].map.queue = STATE_SIZE;
		lies[1].map.queued = UINT32_MAX;
		lies[2].map.left.size = 0;
		lies[3].map.origin.offset = good.map.stride;
		maps += is_map;
		others += !is_map;
		cr_expect_eq(state_group_valid(f, (size_t)n - i, STATE_SIZE), is_map ? group : 0, "%s", f->name);
		for (size_t k = 0; k < sizeof(lies) / sizeof(*lies); k++) {
			*f = lies[k];
			cr_expect_eq(state_group_valid(f, (size_t)n - i, STATE_SIZE), (size_t)0, "%s %zu", f->name, k);
		}
	}
	cr_expect(maps && others);
	free(image);
}

/* More rings than fit, all at one place, would be more slots than anything can hold. */
Test(types, rings_that_overlap)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	size_t image_size;
	unsigned char *image = read_fixture(compiled[3], &image_size);
	long n = state_describe(image, image_size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL);
	struct state_field *flight = fields;
	while (flight < fields + n && flight->kind != WARD_FIELD_FLIGHT)
		flight++;
	cr_assert_lt(flight, fields + n);
	cr_assert_gt(state_group_valid(flight, (size_t)(fields + n - flight), STATE_SIZE), (size_t)0);
	flight->map.ring_stride = 0;
	flight->map.rings = 1u << 31;
	cr_expect_eq(state_group_valid(flight, (size_t)(fields + n - flight), STATE_SIZE), (size_t)0);
	free(image);
}
