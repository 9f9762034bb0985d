/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

typedef uint64_t function(uint64_t a, uint64_t b);

#define CASES(X) \
	X(s_rip_load) \
	X(s_rip_cmp) \
	X(s_rip_lea) \
	X(s_sse) \
	X(s_vex) \
	X(s_jcc_short) \
	X(s_jcc_near) \
	X(s_jmp) \
	X(s_jmp_short) X(s_jrcxz) X(s_loop) X(s_call) X(s_call_first) X(s_call_sub) X(s_endbr) X(s_nops) X(s_short)

#define DECLARE(name) function name;
CASES(DECLARE)
function s_stack, leaf, r_loop_inside, r_loop_entry, r_short, r_behind, r_indirect_call, r_table, r_far, r_page;
uint64_t check_registers(void);
uint64_t call_with_stack(function *fn, uint64_t a, uint64_t b);

static const struct {
	const char *name;
	function *fn;
} cases[] = {
#define ROW(name) {#name, name},
	CASES(ROW)};

enum { N_PLAIN = sizeof(cases) / sizeof(cases[0]) };
_Static_assert(N_PLAIN + 4 == N_SITE_CASES, "every case has a number");

/*
 * A local function, and a caller that may know which registers it doesn't change: gcc -O2 keeps the caller's values
 * in registers that a call would otherwise destroy.
 */
static KEPT uint64_t local_leaf(uint64_t a)
{
	return a ^ (a << 3);
}

static KEPT uint64_t ipa_ra(uint64_t a, uint64_t b)
{
	uint64_t c = a * 3, d = b * 5, e = a + b, f = a ^ b, g = a - b, sum = 0;

	for (int i = 0; i < 8; i++) {
		sum += local_leaf(sum + (uint64_t)i) + c + d * (uint64_t)i + (e ^ f) - g;
		c += f;
		d ^= e;
	}
	return sum + c + d + e + f + g;
}

/* Live arguments in all the registers that pass doubles, and a result in one. */
KEPT double floats(double a, double b, double c, double d, double e, double f, double g, double h)
{
	return a + b * 2 + c * 3 + d * 5 + e * 7 + f * 11 + g * 13 + h * 17;
}

static uint64_t call_floats(void)
{
	double sum = 0, factor = 1.5;

	for (int i = 0; i < 100; i++) {
		sum += floats(i, i + 0.25, sum, 4, factor, i * 6.5, 7, 8 - sum) * 1e-3;
		factor += 0.125;
	}
	return (uint64_t)(int64_t)(sum * 1024 + factor);
}

uint64_t site_case(size_t i)
{
	static const uint64_t values[] = {0, 1, 2, 77, 1000, ~0ull};
	uint64_t digest = i;

	if (i == N_PLAIN)
		return call_with_stack(s_stack, 1234, 5678);
	if (i == N_PLAIN + 1)
		return check_registers();
	if (i == N_PLAIN + 3)
		return call_floats();
	for (size_t a = 0; a < 6; a++)
		for (size_t b = 0; b < 6; b++) {
			uint64_t r = i < N_PLAIN ? cases[i].fn(values[a], values[b]) : ipa_ra(values[a], values[b]);

			digest = (digest ^ r) * 0x100000001b3ull;
		}
	return digest;
}

const char *site_name(size_t i)
{
	return i < N_PLAIN        ? cases[i].name
	       : i == N_PLAIN     ? "s_stack"
	       : i == N_PLAIN + 1 ? "check_registers"
	       : i == N_PLAIN + 2 ? "ipa_ra"
				  : "floats";
}

/* The refused ones are there to be refused, and to be called all the same. */
function *const refused[] = {
	r_loop_inside, r_loop_entry, r_short, r_behind, r_indirect_call, r_table, r_far, r_page, leaf};
