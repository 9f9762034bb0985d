/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's walk of a process's stack (kmod/unwind.h), compiled for here, beside the walk of samples. Rows, places,
 * registers and the stack are random, but often such as to lead on. Both walks must find the same frames. Where rbp is
 * 0 and no row describes the code, the kernel's walk is at an end, and the other one is lost: that alone may differ.
 *
 * And what it checks of rows and places: what is in order is taken, and with one thing wrong it isn't.
 */
#include "loader/sample/walk_copy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WARD_USER_END (UINT64_C(1) << 47)
#include "kmod/unwind.h"

enum { FILES = 3, ROWS = 64, PLACES = 5, WORDS = 512, WALKS = 200000 };

static const uint64_t STACK = 0x7ffd00000000, CODE = 0x400000, GAP = 0x10000;

static uint64_t words[WORDS], state = 1;

static uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

static uint64_t below(uint64_t n)
{
	return (any() >> 20) % n;
}

static struct wl_stack_copy copy;

static bool ward_word_read(__u64 at, __u64 *word)
{
	uint64_t offset = at - copy.rsp;

	if (at % 8 || at < copy.rsp || copy.size < 8 || offset > copy.size - 8)
		return false;
	memcpy(word, copy.bytes + offset, 8);
	return true;
}

/* What both walk by. */
struct code {
	struct wl_unwind_row rows[FILES][ROWS];
	struct wl_code_file file[FILES];
	struct wl_code_place place[PLACES];
	struct wl_code_map map;
	struct ward_rows k_rows[FILES];
	struct ward_k_place k_place[PLACES];
	struct ward_places k_places;
};

/* Words of a frame are few, and as often as not rbp is kept. */
static uint32_t random_rule(void)
{
	uint32_t kind = below(8) < 6 ? WL_UNWIND_RSP : (uint32_t)below(8);
	uint32_t rbp = below(4) ? (uint32_t)below(4) : below(2) ? WL_UNWIND_RBP_AT_RBP : (uint32_t)below(4096);
	int32_t at = below(16) ? 1 + (int32_t)below(6) : (int32_t)below(1 << 17) - (1 << 16);

	if (kind == WL_UNWIND_END && below(4))
		kind = WL_UNWIND_RBP;
	return kind | rbp << WL_UNWIND_RBP_SHIFT | (uint32_t)at << WL_UNWIND_WORDS_SHIFT;
}

static void make_code(struct code *c)
{
	*c = (struct code){0};
	for (uint32_t i = 0; i < FILES; i++) {
		uint32_t at = (uint32_t)below(32);

		for (uint32_t k = 0; k < ROWS; k++, at += 1 + (uint32_t)below(64))
			c->rows[i][k] = (struct wl_unwind_row){at, random_rule()};
		c->file[i].mapped.rows = (struct wl_unwind_rows){c->rows[i], ROWS};
		c->k_rows[i] = (struct ward_rows){(const void *)c->rows[i], ROWS};
	}
	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t file = (uint32_t)below(FILES), skew = (uint32_t)below(2) * 64;
		uint64_t start = CODE + i * GAP, end = start + 0x800;

		c->place[i] = (struct wl_code_place){start, end, &c->file[file], skew};
		c->k_place[i] = (struct ward_k_place){start, end, file, skew};
	}
	c->map = (struct wl_code_map){c->place, PLACES};
	c->k_places = (struct ward_places){c->k_place, c->k_rows, PLACES};
}

/* An address of code, mostly; of the stack; or anything. */
static uint64_t random_word(void)
{
	uint64_t kind = below(128);

	if (kind < 2)
		return kind ? any() : 0;
	if (kind < 4)
		return CODE + PLACES * GAP + below(GAP); /* nothing describes it */
	return kind < 20 ? STACK + below(WORDS) * 8 : CODE + below(PLACES) * GAP + 64 + below(0x7c0);
}

static void walk_both(const struct code *c, uint64_t *frames)
{
	uint32_t most = below(8) ? WL_STACK_MOST : 1 + (uint32_t)below(8), n;
	struct ward_user_frame first;
	struct wl_stack stack;
	__u64 addresses[WL_STACK_MOST];
	uint64_t how;
	bool ended;

	for (size_t i = 0; i < WORDS; i++)
		words[i] = random_word();
	copy = (struct wl_stack_copy){.rip = CODE + below(PLACES) * GAP + below(0x900),
		.rsp = STACK,
		.rbp = below(4) ? STACK + below(64) * 8 : random_word(),
		.bytes = (const uint8_t *)words,
		.size = sizeof(words)};
	first = (struct ward_user_frame){.ip = copy.rip, .sp = copy.rsp, .bp = copy.rbp, .is_exact = true};
	how = ward_walk_user(&c->k_places, first, addresses, most, &n);
	wl_walk_copy(&copy, &c->map, most, &stack);
	ended = how == WARD_K_STACK_BY_RBP && stack.how == (WL_STACK_BY_RBP | WL_STACK_LOST);
	cr_assert(n == stack.n && (how == stack.how || ended), "%u frames, ends with %u; %zu, %u", n, (unsigned)how,
		stack.n, stack.how);
	cr_assert_arr_eq(addresses, stack.address, n * sizeof(*addresses));
	*frames += n;
}

Test(kernel_walk, as_of_samples)
{
	static struct code c;
	uint64_t frames = 0;

	for (unsigned i = 0; i < WALKS; i++) {
		if (i % 64 == 0)
			make_code(&c);
		walk_both(&c, &frames);
	}
	cr_assert(frames > 3 * (uint64_t)WALKS, "they lead on: %lu frames", frames);
}

Test(kernel_walk, checks)
{
	static struct code c;
	struct ward_k_row rows[ROWS];
	struct ward_k_place places[PLACES];

	for (unsigned i = 0; i < 10000; i++) {
		uint32_t k = 1 + (uint32_t)below(ROWS - 1), p = 1 + (uint32_t)below(PLACES - 1);

		make_code(&c);
		memcpy(rows, c.k_rows[0].v, sizeof(rows));
		memcpy(places, c.k_place, sizeof(places));
		cr_assert(ward_rows_are_good(rows, ROWS) && ward_places_are_good(places, PLACES, FILES));
		rows[k].at = rows[k - 1].at - (uint32_t)below(2);
		cr_assert(rows[k].at > rows[k - 1].at || !ward_rows_are_good(rows, ROWS));
		switch (below(5)) {
		case 0: places[p].start = places[p - 1].end - 1 - below(0x800); break;
		case 1: places[p].end = places[p].start - below(places[p].start); break;
		case 2: places[p].file = FILES + (uint32_t)below(UINT32_MAX - FILES); break;
		case 3: places[p].skew = UINT32_MAX - (uint32_t)below(0x800); break;
		default: places[PLACES - 1].end = WARD_USER_END + 1 + below(UINT32_MAX); break;
		}
		cr_assert(!ward_places_are_good(places, PLACES, FILES));
	}
}
