// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of a session's stacks: each is kept once, and its handle is where.
 *
 * A bucket is 0, or has a part of the stack's hash and the place of its first word. It is written once, when the words
 * are there. So nobody waits: whoever finds a bucket taken in the meantime looks whether it is the same stack, and else
 * goes on to the next bucket. The words that were written for nothing then stay unused.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/bitops.h>
#include <linux/string.h>

#include "ward.h"

enum { TRIES = 16 }; /* buckets that are looked at */

static u64 hash_of(const u64 *words, u32 n)
{
	u64 hash = 0;
	u32 i;

	for (i = 0; i < n; i++)
		hash = ror64((hash ^ words[i]) * 0x9e3779b97f4a7c15, 29);
	return hash * 0x9e3779b97f4a7c15;
}

/* Where the words are now; 0: there is no room. */
static u32 put_words(struct ward_k_stacks *stacks, u64 *arena, const u64 *words, u32 n)
{
	atomic64_t *used = (atomic64_t *)&stacks->used;
	u64 at;

	if (atomic64_read(used) + n >= WARD_K_STACKS_WORDS)
		return 0;
	at = 1 + atomic64_fetch_add(n, used); /* the first word stays unused: 0 is no handle */
	if (at + n > WARD_K_STACKS_WORDS)
		return 0;
	memcpy(arena + at + 1, words + 1, (n - 1) * sizeof(*words));
	smp_store_release(&arena[at], words[0]); /* who reads all stacks in turn finds whole ones */
	return at;
}

u64 ward_keep_stack(struct ward_k_stacks *stacks, const u64 *words, u32 n)
{
	u64 *buckets = (u64 *)(stacks + 1), *arena = buckets + WARD_K_STACKS_BUCKETS;
	u64 hash = hash_of(words, n), tag = hash >> 32 << 32;
	u32 mine = 0, i;

	BUILD_BUG_ON(sizeof(*stacks) != 64);
	for (i = 0; i < TRIES; i++) {
		u64 *bucket = &buckets[((u32)hash + i) % WARD_K_STACKS_BUCKETS], is = READ_ONCE(*bucket);

		if (!is) {
			mine = mine ?: put_words(stacks, arena, words, n);
			if (!mine)
				break;
			is = cmpxchg(bucket, 0, tag | mine);
			if (!is)
				return stacks->mark | mine;
		}
		if ((is ^ tag) >> 32 == 0 && (u32)is + n <= WARD_K_STACKS_WORDS &&
			!memcmp(arena + (u32)is, words, n * sizeof(*words)))
			return stacks->mark | (u32)is;
	}
	atomic64_inc((atomic64_t *)&stacks->lost);
	return 0;
}
