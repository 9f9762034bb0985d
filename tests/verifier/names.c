/* SPDX-License-Identifier: Apache-2.0 */
/* The names of rules, registers and event fields; the bounded cursor. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "verifier/base/cursor.h"
#include "verifier/step/import.h"
#include "verifier/decode/insn.h"
#include "ward/verify.h"

Test(names, rules)
{
	cr_assert_str_eq(ward_rule_number(WARD_RULE_FILE), "V-01");
	cr_assert_str_eq(ward_rule_number(WARD_RULE_BOUNDS), "V-31");
	cr_assert_str_eq(ward_rule_property(WARD_RULE_BOUNDS), "P1");
	cr_assert_str_eq(ward_rule_property(WARD_RULE_DIVIDE), "P10");
	for (int i = 0; i < WARD_RULE_COUNT; i++) {
		const char *number = ward_rule_number((enum ward_rule)i),
			   *property = ward_rule_property((enum ward_rule)i);

		cr_assert(strlen(number) == 4 && strncmp(number, "V-", 2) == 0, "%s", number);
		cr_assert(property[0] == 'P' && atoi(property + 1) >= 1 && atoi(property + 1) <= 10, "%s", property);
		cr_assert_gt(strlen(ward_rule_text((enum ward_rule)i)), 20);
		for (int k = 0; k < i; k++)
			cr_assert_str_neq(number, ward_rule_number((enum ward_rule)k));
	}
	cr_assert_str_eq(ward_rule_number(WARD_RULE_COUNT), "?");
	cr_assert_str_eq(ward_rule_property((enum ward_rule) - 1), "?");
	cr_assert_str_eq(ward_rule_text(WARD_RULE_COUNT), "?");
}

Test(names, registers_and_fields)
{
	static const char *const fields[] = {"arg[0]", "arg[1]", "arg[2]", "arg[3]", "arg[4]", "arg[5]", "ret",
		"caller", "tid", "cpu", "time", "elapsed", "site", "sp"};

	cr_assert_str_eq(ward_register_name(0), "rax");
	cr_assert_str_eq(ward_register_name(4), "rsp");
	cr_assert_str_eq(ward_register_name(15), "r15");
	cr_assert_str_eq(ward_register_name(16), "xmm0");
	cr_assert_str_eq(ward_register_name(31), "xmm15");
	cr_assert_str_eq(ward_register_name(32), "?");
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
		cr_assert_str_eq(ward_event_field_name(i), fields[i]);
	cr_assert_str_eq(ward_event_field_name(14), "?");
	cr_assert_str_eq(ward_event_field_name(~0u), "?");
}

static struct wv_cursor over(const void *bytes, size_t n)
{
	return wv_cursor_at((struct wv_bytes){bytes, n}, 0);
}

Test(cursor, integers)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x80};
	struct wv_cursor c = over(bytes, sizeof bytes);

	cr_assert_eq(wv_u8(&c), 1);
	cr_assert_eq(wv_u16(&c), 0x0302);
	cr_assert_eq(wv_u32(&c), 0x07060504);
	cr_assert_eq(wv_u64(&c), 0x0f0e0d0c0b0a0908);
	cr_assert_eq(wv_left(&c), 1);
	cr_assert_eq(wv_u16(&c), 0); /* one byte short: nothing is read, and nothing will be */
	cr_assert(c.failed);
	cr_assert_eq(wv_u8(&c), 0);
	cr_assert_eq(wv_left(&c), 0);
	cr_assert(wv_cursor_at((struct wv_bytes){bytes, 4}, 5).failed);
	cr_assert(!wv_cursor_at((struct wv_bytes){bytes, 4}, 4).failed);
}

Test(cursor, slices)
{
	static const uint8_t bytes[8];
	struct wv_bytes in = {bytes, 8}, out;

	cr_assert(wv_slice(in, 8, 0, &out) && out.n == 0);
	cr_assert(wv_slice(in, 2, 6, &out) && out.p == bytes + 2 && out.n == 6);
	cr_assert(!wv_slice(in, 2, 7, &out) && out.p == NULL && out.n == 0);
	cr_assert(!wv_slice(in, 9, 0, &out));
	cr_assert(!wv_slice(in, UINT64_MAX, 1, &out));
	cr_assert(!wv_slice(in, 1, UINT64_MAX, &out));
	cr_assert(!wv_fits(UINT64_MAX, UINT64_MAX, 8));
}

/* import.def: what the verifier counts on without looking. */
Test(names, imports)
{
	const unsigned scratch = 1u << WV_RAX | 1u << WV_RCX | 1u << WV_RDX | 1u << WV_RSI | 1u << WV_RDI | 0xf00;

	for (unsigned i = 0; i < WARD_IMPORT_COUNT; i++) {
		const struct wv_signature *s = wv_signature(i);
		unsigned n = 0;

		cr_assert(strncmp(s->name, "ward_", 5) == 0 && s->name == ward_import_name(i) &&
			  ward_import_text(i)[0] == '(');
		for (unsigned k = 0; k < i; k++)
			cr_assert_str_neq(s->name, ward_import_name(k));
		while (n < WV_MAX_ARGUMENTS && s->argument[n].kind != WV_ARG_NONE)
			n++;
		for (unsigned a = 0; a < WV_MAX_ARGUMENTS; a++) {
			const struct wv_argument *arg = &s->argument[a];

			cr_assert(a < n || arg->kind == WV_ARG_NONE, "%s: a gap before argument %u", s->name, a);
			if (arg->kind == WV_ARG_ID)
				cr_assert_gt(arg->detail, 0);
			if (arg->kind == WV_ARG_IN || arg->kind == WV_ARG_OUT)
				cr_assert(arg->detail < n && s->argument[arg->detail].kind == WV_ARG_SCALAR,
					"%s: buffer %u has no length", s->name, a);
		}
		cr_assert(s->upto < (int)n && s->least <= s->greatest && (s->upto < 0 || s->least == 0));
		cr_assert(s->profiles && !(s->profiles >> (WARD_PROFILE_KERNEL + 1)));
		cr_assert((s->clobbers & 1u << WV_RAX) && !(s->clobbers & ~scratch), "%s: clobbers 0x%x", s->name,
			s->clobbers);
		cr_assert(s->insns > 0 && s->stack % 8 == 0 && s->stack < WARD_STACK_CEILING);
	}
	cr_assert_null(wv_signature(WARD_IMPORT_COUNT));
	cr_assert_str_eq(ward_import_name(WARD_IMPORT_COUNT), "?");
	cr_assert_str_eq(ward_import_text(WARD_IMPORT_COUNT), "?");
}
