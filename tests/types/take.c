/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes out of the sandbox's pipe may be anything: take SEED N. A table is written, changed at random places, and
 * read; all that is in it afterwards must be inside it. Ends with "N passed, M failed".
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/types/table.h"

static uint64_t state;

static uint32_t roll(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void fill(struct table *t)
{
	for (int i = 0; i < 20; i++) {
		struct table_type type = {.kind = (uint32_t)i % (WARD_TYPE_OTHER + 1),
			.name = table_text(t, "some"),
			.size = 8,
			.of = (uint32_t)i,
			.first = (uint32_t)i,
			.n = 3};
		struct table_member member = {table_text(t, "member"), (uint32_t)i, i % 3 ? 0 : 5, 0, 8};
		struct table_parameter parameter = {
			.name = table_text(t, "given"), .type = (uint32_t)i, .place = i % 8 - 1};
		struct table_enumerator e = {(uint64_t)i, table_text(t, "NAME"), 0};
		struct table_function function = {.asked = (uint32_t)i % 4,
			.why = i % 5 ? 0 : table_text(t, "no"),
			.first = (uint32_t)i,
			.n = i % 2 ? 1 : 0};

		*(struct table_type *)table_add(t, LIST_TYPES) = type;
		*(struct table_member *)table_add(t, LIST_MEMBERS) = member;
		*(struct table_parameter *)table_add(t, LIST_PARAMETERS) = parameter;
		*(struct table_enumerator *)table_add(t, LIST_ENUMERATORS) = e;
		*(struct table_function *)table_add(t, LIST_FUNCTIONS) = function;
	}
}

static bool is_text(const struct ward_types *t, const char *s, const char *end)
{
	(void)t;
	for (; s < end && *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return s < end;
}

/* Is all of it inside? The texts are the last of the allocation, of which `size` bytes are known. */
static bool is_sound(const struct ward_types *t, size_t size)
{
	const char *end = (const char *)t + size;
	bool ok = true;

	for (size_t i = 0; i < t->n_functions; i++) {
		const struct ward_function_types *f = &t->functions[i];

		ok &= is_text(t, f->site, end) && (!f->why || is_text(t, f->why, end)) && f->returns < t->n_types &&
		      f->first + (size_t)f->n <= t->n_parameters && is_text(t, f->returns_text, end);
	}
	for (size_t i = 0; i < t->n_parameters; i++) {
		const struct ward_parameter *p = &t->parameters[i];

		ok &= is_text(t, p->name, end) && is_text(t, p->declaration, end) && p->type < t->n_types &&
		      p->place >= -1 && p->place < 6;
	}
	for (size_t i = 0; i < t->n_types; i++) {
		const struct ward_type *type = &t->types[i];

		ok &= type->kind <= WARD_TYPE_OTHER && type->of < t->n_types && is_text(t, type->name, end);
		ok &= type->kind != WARD_TYPE_STRUCTURE || type->first + (size_t)type->n <= t->n_members;
		ok &= type->kind != WARD_TYPE_ENUMERATION || type->first + (size_t)type->n <= t->n_enumerators;
	}
	for (size_t i = 0; i < t->n_members; i++)
		ok &= is_text(t, t->members[i].name, end) && t->members[i].type < t->n_types &&
		      t->members[i].bits <= 64;
	for (size_t i = 0; i < t->n_enumerators; i++)
		ok &= is_text(t, t->enumerators[i].name, end);
	return ok;
}

int main(int argc, char **argv)
{
	static const char *const sites[] = {"a!b", "a!c", "a!d"};
	static uint8_t bytes[1 << 16], bad[1 << 16];
	long n = argc > 2 ? atol(argv[2]) : 0, passed = 0, failed = 0, taken = 0;
	struct table whole = {.is_cut = false};
	int fd = memfd_create("table", 0);
	ssize_t size;

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	fill(&whole);
	if (fd < 0 || n <= 0 || !table_write(&whole, fd) || (size = pread(fd, bytes, sizeof(bytes), 0)) <= 0)
		return 2;
	for (long i = 0; i < n; i++) {
		struct table t = {.is_cut = false};
		struct ward_types *types;
		size_t cut = roll(10) ? (size_t)size : roll((uint32_t)size + 1);
		int rc;

		memcpy(bad, bytes, (size_t)size);
		for (uint32_t k = i ? roll(20) : 0; k > 0; k--)
			bad[roll((uint32_t)size)] = (uint8_t)(roll(2) ? roll(256) : roll(3) - 1);
		rc = table_take(&t, bad, i ? cut : (size_t)size, sites, 3);
		if (rc == 0)
			rc = table_take(&t, bad, i ? cut : (size_t)size, sites, 3);
		taken += rc == 0;
		types = table_finish(&t);
		*(types && is_sound(types, (size_t)((const char *)types->enumerators - (const char *)types) +
						   types->n_enumerators * sizeof(struct ward_enumerator) +
						   t.lists[LIST_TEXT].n + 1)
				? &passed
				: &failed) += 1;
		if (i == 0 && (!types || types->n_functions != 30 || types->n_types != 43))
			failed++;
		ward_types_free(types);
		table_free(&t);
	}
	table_free(&whole);
	if (taken < n / 4)
		failed++;
	printf("%ld passed, %ld failed\n", passed, failed);
	return failed != 0;
}
