/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flags of a program that calls the kernel don't affect probes there, and are the same afterwards: the kernel
 * clears the direction flag, and checks no alignment.
 */
#include "suite.h"

#include <string.h>
#include <sys/syscall.h>

enum { CALLS = 500, DF = 0x400, AC = 0x40000, UNALIGNED = 65 };

static const uint64_t filler = 0x4141414141414141;

/* getppid with these flags set. What of them comes back. */
static uint64_t call_with(uint64_t set)
{
	uint64_t flags = 0;
	long number = SYS_getppid;

	__asm__ volatile("pushf; push (%%rsp); or %2, (%%rsp); popf; syscall; pushf; pop %1; popf"
		: "+a"(number), "=&r"(flags)
		: "r"(set)
		: "rcx", "r11", "memory", "cc");
	return flags & (DF | AC);
}

/*
 * Those of probes/flags.s: a count, one that is no multiple of eight away from the beginning, and a lot of the same if
 * there was a call.
 */
static uint64_t calls_seen(ward_session *s)
{
	const void *const *states;
	uint64_t all = 0, unaligned;
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++) {
		const uint64_t *w = states[i];

		memcpy(&unaligned, (const uint8_t *)states[i] + UNALIGNED, sizeof(unaligned));
		CHECK(w[0] == unaligned, "%lu, %lu", w[0], unaligned);
		for (size_t k = 16; k < size / 8; k++)
			CHECK(w[k] == (w[0] ? filler : 0), "word %zu of state %zu is %#lx", k, i, w[k]);
		all += w[0];
	}
	return all;
}

void test_flags(void)
{
	static const uint64_t sets[] = {0, DF, AC, DF | AC};
	char returns[64];
	ward_session *entry = attached("flags", getppid_site), *left;

	snprintf(returns, sizeof(returns), "%s:return", getppid_site);
	left = attached("flags", returns);
	for (unsigned i = 0; i < CALLS; i++)
		CHECK(call_with(sets[i % 4]) == sets[i % 4], "the program's flags, of call %u", i);
	CHECK(ward_detach(entry, NULL) == 0 && ward_detach(left, NULL) == 0, "detached");
	CHECK(calls_seen(entry) >= CALLS && calls_seen(left) >= CALLS, "%lu, %lu", calls_seen(entry), calls_seen(left));
	ward_session_free(entry);
	ward_session_free(left);
}
