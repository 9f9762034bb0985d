/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A site may be reached with any flags, floating-point state and stack pointer. None of these harms a probe or
 * another thread's state, and the target has all of them back afterwards. flags.cc calls functions with such state
 * and checks what comes back.
 */
#include "helper.h"
#include "own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DF = 0x400, AC = 0x40000, ID = 0x200000, STATUS = 0x8d5, ROUNDS = 100 }; /* STATUS: of an operation's result */

/* The states of probes/flags*.S and .c, added up. */
struct seen {
	uint64_t quiet, entries, returns, points, throws, sum, arg1, arg2, unaligned;
};

static const uint64_t filler = 0x4141414141414141;

/* All of it is the same, or nothing is there: the thread that only calls f_quiet has none. */
static bool filled(const uint64_t *state, size_t words, bool disturbed)
{
	for (size_t i = 16; i < words; i++)
		if (state[i] != (disturbed ? filler : 0))
			return false;
	return true;
}

static struct seen look(ward_session *s)
{
	const void *const *states;
	struct seen all = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++) {
		const uint64_t *w = states[i];
		uint64_t unaligned;

		memcpy(&unaligned, (const char *)states[i] + 65, sizeof(unaligned));
		cr_expect(filled(w, size / 8, unaligned != 0), "state %zu was written to where it shouldn't be", i);
		cr_expect(!(w[0] && unaligned), "a state that isn't the thread's");
		all.quiet += w[0];
		all.entries += w[1];
		all.returns += w[2];
		all.points += w[3];
		all.throws += w[4];
		all.sum += w[5];
		all.arg1 |= w[6];
		all.arg2 |= w[7];
		all.unaligned += unaligned;
	}
	return all;
}

struct run {
	struct target t;
	ward_session *s;
	char output[256];
};

static ward_session *attach_allowed(pid_t pid, const char *module)
{
	static const char *const allow[] = {"ward_read_str", "ward_match"};
	struct ward_attach_options options = {.size = sizeof(options), .allow = allow, .n_allow = 2};
	struct module m = module_read(module);
	ward_session *s = NULL;
	struct ward_error err;
	int rc = ward_attach(pid, m.data, m.size, &options, &s, &err);

	free(m.data);
	cr_assert(rc == 0, "%s: %s (%s)", err.what, err.why, err.hint);
	return s;
}

static struct run begin(const char *module, unsigned set, unsigned off)
{
	char flags[16], bytes[16], rounds[16];
	struct run r = {0};

	snprintf(flags, sizeof(flags), "%#x", set);
	snprintf(bytes, sizeof(bytes), "%u", off);
	snprintf(rounds, sizeof(rounds), "%d", ROUNDS);
	r.t = target_start(FLAGS, flags, bytes, rounds, NULL);
	r.s = attach_allowed(r.t.pid, module);
	target_go(&r.t);
	return r;
}

static void finish(struct run *r, unsigned set)
{
	int status = target_finish(&r->t, r->output, sizeof(r->output));

	cr_assert_eq(status, 0, "with %#x: status %#x, output: %s", set, status, r->output);
	cr_assert_str_eq(r->output, "ok\n", "with %#x: %s", set, r->output);
}

/* At entries, returns, tracepoints and where exceptions are caught. */
static void all_sites(unsigned set)
{
	struct run r = begin("flags", set, 0);
	struct seen seen;

	finish(&r, set);
	seen = look(r.s);
	ward_session_free(r.s);
	cr_expect_eq(seen.quiet, 1);
	cr_expect_eq(seen.entries, ROUNDS);
	cr_expect_eq(seen.returns, ROUNDS);
	cr_expect_eq(seen.points, ROUNDS);
	cr_expect_eq(seen.throws, ROUNDS + 1);
	cr_expect_eq(seen.sum, 3 * (ROUNDS * (ROUNDS - 1) / 2) + ROUNDS);
	cr_expect_eq(seen.arg1, 0x55443322);
	cr_expect_eq(seen.arg2, 1);
	cr_expect_eq(seen.unaligned, 4 * ROUNDS + 1);
}

Test(flags, nothing_set)
{
	all_sites(0);
}

Test(flags, direction)
{
	all_sites(DF);
}

Test(flags, alignment)
{
	all_sites(AC);
}

Test(flags, all)
{
	all_sites(DF | AC | ID | STATUS);
}

/* A probe that needs nothing runs with whatever flags there are. */
Test(flags, nothing_needed)
{
	struct run r = begin("flags_none", DF | AC, 0);

	finish(&r, DF | AC);
	cr_expect_eq(look(r.s).entries, ROUNDS);
	ward_session_free(r.s);
}

Test(flags, imports)
{
	struct run r = begin("flags_import", DF | AC, 0);
	const void *const *states;
	size_t size, n;

	finish(&r, DF | AC);
	n = ward_session_states(r.s, &states, &size);
	cr_assert_eq(n, 1);
	cr_expect_eq(((const uint64_t *)states[0])[1], ROUNDS);
	cr_expect_eq(((const uint64_t *)states[0])[6], 8);
	cr_expect_eq(((const uint64_t *)states[0])[7], ROUNDS);
	cr_expect_str_eq((const char *)states[0] + 64, "a string");
	ward_session_free(r.s);
}

OWN_FUNCTION uint64_t own_work(uint64_t a)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(a));
	return a + 1;
}

/* own_work with these flags set; what of them comes back. */
static uint64_t own_work_with(uint64_t set)
{
	uint64_t a = 5, flags;

	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; push (%%rsp); or %2, (%%rsp); popf; call *%3; pushf; pop %1; "
			 "popf; lea 128(%%rsp), %%rsp"
		: "+D"(a), "=&b"(flags)
		: "r"(set), "r"(own_work)
		: "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	return flags & (DF | AC);
}

/* A process that attaches to itself. */
Test(flags, own_process)
{
	ward_session *s = attach(getpid(), "flags_own", "*!own_work");
	static const uint64_t sets[] = {0, DF, AC, DF | AC};

	for (unsigned i = 0; i < ROUNDS; i++)
		cr_expect_eq(own_work_with(sets[i % 4]), sets[i % 4]);
	cr_expect_eq(look(s).entries, ROUNDS);
	cr_expect_eq(look(s).unaligned, ROUNDS);
	ward_session_free(s);
}

/*
 * Whatever the stack pointer is: what a probe has locked on its stack is aligned, and vector registers are saved and
 * restored.
 */
static void odd_stack(const char *module, bool counts)
{
	for (unsigned off = 0; off < 16; off += 1 + off % 2 * 6) {
		struct run r = begin(module, 0, off);
		struct seen seen;

		finish(&r, off);
		seen = look(r.s);
		if (counts) {
			cr_expect_eq(seen.entries, ROUNDS);
			cr_expect_eq(seen.returns, 0, "rsp is no multiple of eight");
		} else {
			cr_expect_eq(seen.quiet, ROUNDS);
		}
		ward_session_free(r.s);
	}
}

Test(flags, stack_pointer)
{
	odd_stack("flags_stack", true);
}

Test(flags, stack_pointer_and_vectors)
{
	odd_stack("flags_vectors", false);
}

/* ---- results in flags ---- */

enum kind { PLAIN, DEBUG, NEITHER };

static struct run carry(enum kind kind)
{
	char number[2] = {(char)('0' + kind)}, rounds[16];
	struct run r = {0};

	snprintf(rounds, sizeof(rounds), "%d", ROUNDS);
	r.t = target_start(FLAGS, "0", "0", rounds, number, NULL);
	r.s = attach_allowed(r.t.pid, "carry");
	target_go(&r.t);
	return r;
}

static void carry_kept(enum kind kind)
{
	struct run r = carry(kind);
	struct seen seen;

	finish(&r, 0);
	seen = look(r.s);
	cr_expect_eq(seen.entries, 3 * ROUNDS);
	cr_expect_eq(seen.returns, 3 * ROUNDS);
	cr_expect_eq(seen.sum, 3 * (ROUNDS * (ROUNDS - 1) / 2)); /* what rax is right before each exit */
	ward_session_free(r.s);
}

/* No compiler's, as nothing describes them. */
Test(flags, carry_not_described)
{
	carry_kept(PLAIN);
}

/* Debug information says so. */
Test(flags, carry_in_assembly)
{
	carry_kept(DEBUG);
}

/* It looks like a compiler's. */
Test(flags, carry_in_disguise)
{
	carry_kept(NEITHER);
}
