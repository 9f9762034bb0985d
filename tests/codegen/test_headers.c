/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the dialect's containers, compiled natively, with plain reference implementations on random inputs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ward/probe.h"

static uint64_t random_bits(void)
{
	static uint64_t s = 88172645463325252u; /* xorshift, the same numbers in each run */

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

/* Numbers of all lengths. */
static uint64_t random_number(void)
{
	return random_bits() >> (random_bits() & 63);
}

static unsigned reference_bucket(uint64_t v)
{
	unsigned i = 0;

	while (v) {
		v >>= 1;
		i++;
	}
	return i;
}

Test(log2, bucket_bounds)
{
	unsigned i;

	cr_assert_eq(ward_log2_bucket(0), 0);
	cr_assert_eq(ward_log2_bucket(UINT64_MAX), 64);
	for (i = 1; i <= 64; i++) {
		uint64_t lo = 1ul << (i - 1), hi = lo - 1 + lo;

		cr_assert_eq(ward_log2_bucket(lo), i);
		cr_assert_eq(ward_log2_bucket(hi), i);
	}
}

Test(log2, random_numbers)
{
	static ward_log2 got, expected;
	unsigned k;

	for (k = 0; k < 200000; k++) {
		uint64_t v = random_number(), n = random_bits() & 7;

		ward_log2_add(&got, v);
		ward_log2_add_n(&got, v, n);
		expected.bucket[reference_bucket(v)] += 1 + n;
	}
	cr_assert_eq(memcmp(&got, &expected, sizeof(got)), 0);
}

/*
 * The reference: a list of pairs, and the rule that a key is lost only if the slots where it may stand all belong to
 * others.
 */
struct pair {
	uint64_t key, value;
};

#define MAP_TEST(NAME, K, N, KEYS) \
	Test(map, NAME) \
	{ \
		static WARD_MAP(K, ward_count, N) map; \
		static struct pair list[KEYS]; \
		K keys[KEYS]; \
		size_t n = 0, i, j, in_map = 0; \
		uint64_t added = 0, stored = 0, updates = 0; \
		for (i = 0; i < KEYS; i++) \
			keys[i] = (K)random_number(); \
		for (j = 0; j < 50 * KEYS; j++) { \
			K key = keys[random_bits() % KEYS]; \
			uint64_t by = random_bits() & 15, lost = map.lost; \
			ward_map_add(&map, key, by); \
			updates++; \
			if (map.lost != lost) \
				continue; \
			added += by; \
			for (i = 0; i < n && list[i].key != (uint64_t)key; i++) \
				; \
			n += i == n; \
			list[i].key = (uint64_t)key; \
			list[i].value += by; \
		} \
		for (i = 0; i < N; i++) { \
			if (!map.slot[i].used) \
				continue; \
			in_map++; \
			stored += map.slot[i].value; \
			for (j = 0; j < n && list[j].key != (uint64_t)map.slot[i].key; j++) \
				; \
			cr_assert_lt(j, n, "a key that was never added"); \
			cr_assert_eq(map.slot[i].value, list[j].value); \
		} \
		cr_assert_eq(in_map, n, "each key once"); \
		cr_assert_eq(stored, added); \
		cr_assert_leq(map.lost, updates); \
		if (2 * KEYS <= N) \
			cr_assert_eq(map.lost, 0, "half empty and still lost %lu", map.lost); \
		if (KEYS >= 4 * N) \
			cr_assert_gt(map.lost, 0); \
	}

MAP_TEST(ints_half_full, int, 1024, 500)
MAP_TEST(longs_half_full, unsigned long, 256, 128)
MAP_TEST(bytes, unsigned char, 512, 200)
MAP_TEST(negative, signed char, 512, 200)
MAP_TEST(overfull, long, 64, 300)
MAP_TEST(one_slot, int, 1, 5)
MAP_TEST(few_slots, short, 4, 40)

Test(map, sequential_and_strided_keys_spread)
{
	static WARD_MAP(unsigned long, ward_count, 1024) map;
	unsigned shift, i;

	for (shift = 0; shift < 54; shift += 6) {
		memset(&map, 0, sizeof(map));
		for (i = 0; i < 512; i++)
			ward_map_add(&map, (unsigned long)i << shift, 1);
		cr_expect_eq(map.lost, 0, "%lu of 512 keys lost at stride 2^%u", map.lost, shift);
	}
}
