/* SPDX-License-Identifier: Apache-2.0 */
/* The table of stopped runs: as the compiler writes it, and with wrong values in every word. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/state/schema.h"

enum { STATE_SIZE = 4096, MAX_FILE = 1 << 20, HEAD = 16, ROW = 12, ROWS = 7 };

static const unsigned char head[HEAD] = {1, 0, 0, 0, ROWS, 0, 0, 0, 64};

/* A copy of exactly the file's size, so that whatever reads behind it is noticed; where its table begins comes out. */
static unsigned char *read_file(size_t *size, size_t *table)
{
	static unsigned char whole[MAX_FILE];
	FILE *f = fopen(FIXTURES "/traps.so", "rb");
	cr_assert_not_null(f);
	*size = fread(whole, 1, sizeof(whole), f);
	fclose(f);
	unsigned char *at = memmem(whole, *size, head, sizeof(head));
	cr_assert_not_null(at);
	*table = (size_t)(at - whole);
	unsigned char *copy = malloc(*size);
	cr_assert_not_null(copy);
	return memcpy(copy, whole, *size);
}

static void expect_trap(const struct state_field *f, const char *file, uint32_t line, uint32_t reason, uint32_t offset)
{
	cr_expect_eq(f->kind, (uint32_t)WARD_FIELD_STOP);
	cr_expect_str_eq(f->name, file);
	cr_expect_eq(f->line, line);
	cr_expect_eq(f->reason, reason);
	cr_expect(f->offset == offset && f->size == 8 && f->scalar.offset == offset && f->scalar.size == 8);
}

Test(traps, what_can_be_shown)
{
	struct state_field f[16];
	size_t size, table;
	unsigned char *image = read_file(&size, &table);
	cr_assert_eq(state_describe(image, size, "", "", STATE_SIZE, f, 16, NULL), 4);
	expect_trap(&f[0], "astray.c", 17, STATE_ACCESS, 64);
	expect_trap(&f[1], "astray.c", 21, STATE_LOOP, 72);
	expect_trap(&f[2], "a__31m/b_c.c", 23, STATE_DIVISOR, 88);
	expect_trap(&f[3], "astray.c", 26, STATE_ROUNDS, 112);
	free(image);
}

/* Counters that the state has no room for are none: 64 and 72 end at 80. */
Test(traps, beyond_the_state)
{
	struct state_field f[16];
	size_t size, table;
	unsigned char *image = read_file(&size, &table);
	cr_expect_eq(state_describe(image, size, "", "", 80, f, 16, NULL), 2);
	cr_expect_eq(state_describe(image, size, "", "", 79, f, 16, NULL), 1);
	cr_expect_eq(state_describe(image, size, "", "", 8, f, 16, NULL), 0);
	cr_expect_eq(state_describe(image, size, "", "", STATE_SIZE, f, 2, NULL), 1, "half of the room");
	free(image);
}

static void lie(unsigned char *image, size_t size, size_t at, uint32_t word)
{
	static struct state_field f[STATE_MAX_FIELDS];
	unsigned char before[4];
	memcpy(before, image + at, 4);
	memcpy(image + at, &word, 4);
	size_t n = state_traps_read(image, size, f, STATE_MAX_FIELDS);
	cr_expect_leq(n, (size_t)STATE_MAX_FIELDS);
	for (size_t i = 0; i < n; i++)
		if (state_field_valid(&f[i], STATE_SIZE))
			cr_expect(f[i].offset <= STATE_SIZE - 8 && f[i].reason < STATE_REASONS &&
				  strlen(f[i].name) < STATE_MAX_NAME);
	memcpy(image + at, before, 4);
}

Test(traps, any_word_may_lie)
{
	static const uint32_t words[] = {0, 1, 2, 5, 6, 7, 0x7f, 0xff, 0x100, 0xfff, 0x1000, 0x0aaaaaaa, 0x0aaaaaab,
		0x15555555, 0x15555556, 0x1fffffff, 0x20000000, 0x7fffffff, 0x80000000, 0xfffffff4, 0xfffffff8,
		0xffffffff};
	struct state_field f[16];
	size_t size, table;
	unsigned char *image = read_file(&size, &table);
	for (size_t at = table; at < table + HEAD + ROWS * ROW; at += 4)
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			lie(image, size, at, words[k]);
	image[table] = 2;
	cr_expect_eq(state_describe(image, size, "", "", STATE_SIZE, f, 16, NULL), 0, "another version");
	image[table] = 1;
	image[table + 4] = 200;
	cr_expect_eq(
		state_describe(image, size, "", "", STATE_SIZE, f, 16, NULL), 0, "more places than there is room for");
	free(image);
}

/* Any prefix of the file is read or isn't, and nothing else. */
Test(traps, cut_short)
{
	static struct state_field f[16];
	size_t size, table;
	unsigned char *image = read_file(&size, &table);
	for (size_t n = 0; n < size; n += n < table ? 97 : 1) {
		unsigned char *part = malloc(n ? n : 1);
		cr_assert_not_null(part);
		memcpy(part, image, n);
		cr_expect_leq(state_traps_read(part, n, f, 16), (size_t)ROWS);
		free(part);
	}
	free(image);
}
