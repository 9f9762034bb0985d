/* SPDX-License-Identifier: Apache-2.0 */
/* ward_verify's arguments: options of older and newer callers, and invalid arguments. */
#include <errno.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "build_module.h"
#include "ward/verify.h"

/* Is a limit of the options, on the state, in force? -1: the call was refused for its arguments. */
static int limit_holds(const struct ward_verify_options *options)
{
	static const uint8_t code[] = {0xc3};
	static const struct bm_entry entry = {.name = "probe"};
	struct bm_module module = {
		.text = code, .text_size = sizeof code, .entries = &entry, .n_entries = 1, .state_size = 128};
	struct bm_file file = bm_build(&module);
	struct ward_verdict *v;
	int holds;

	errno = 0;
	v = ward_verify(file.data, file.size, options);
	bm_free(&file);
	if (!v)
		return errno == EINVAL ? -1 : -2;
	holds = !v->accepted && v->n_violations && strcmp(v->violations[0].reason, "state-too-large") == 0;
	ward_verdict_free(v);
	return holds;
}

/* As a program of another age has them. */
struct other {
	struct ward_verify_options known;
	uint8_t more[5000];
};

Test(options, of_this_age)
{
	struct ward_verify_options o = {.size = sizeof o, .max_state = 64};

	cr_assert_eq(limit_holds(&o), 1);
	o.max_state = 128;
	cr_assert_eq(limit_holds(&o), 0);
	o.max_state = 0;
	cr_assert_eq(limit_holds(&o), 0);
	cr_assert_eq(limit_holds(NULL), 0);
}

Test(options, of_an_older_program)
{
	struct ward_verify_options o = {.max_state = 64, .n_allow = 3}; /* beyond its size is anything */

	o.size = offsetof(struct ward_verify_options, allow);
	cr_assert_eq(limit_holds(&o), 1);
	o.size = offsetof(struct ward_verify_options, max_state);
	cr_assert_eq(limit_holds(&o), 0);
	o.size = sizeof o.size;
	cr_assert_eq(limit_holds(&o), 0);
}

Test(options, of_a_newer_program)
{
	struct other *o = calloc(1, sizeof *o);

	cr_assert(o);
	o->known.max_state = 64;
	o->known.size = sizeof o->known + 8;
	cr_assert_eq(limit_holds(&o->known), 1);
	o->known.size = 4096;
	cr_assert_eq(limit_holds(&o->known), 1);
	/* It wants something that this library doesn't know: that can't be promised. */
	o->more[0] = 1;
	cr_assert_eq(limit_holds(&o->known), -1);
	o->known.size = sizeof o->known;
	cr_assert_eq(limit_holds(&o->known), 1);
	o->more[0] = 0;
	o->more[7] = 1;
	o->known.size = sizeof o->known + 7;
	cr_assert_eq(limit_holds(&o->known), 1);
	o->known.size = sizeof o->known + 8;
	cr_assert_eq(limit_holds(&o->known), -1);
	free(o);
}

Test(options, without_a_size)
{
	struct other *o = calloc(1, sizeof *o);

	cr_assert(o);
	cr_assert_eq(limit_holds(&o->known), -1);
	o->known.size = sizeof o->known.size - 1;
	cr_assert_eq(limit_holds(&o->known), -1);
	o->known.size = 4097;
	cr_assert_eq(limit_holds(&o->known), -1);
	o->known.size = SIZE_MAX;
	cr_assert_eq(limit_holds(&o->known), -1);
	free(o);
}

/* Where the number at fault comes from is found out for who asks, and for nobody else. */
Test(options, explaining)
{
	/* mov rax, [rdi]; mov rcx, rax; mov [rsi + 8 * rcx], rax; ret */
	static const uint8_t code[] = {0x48, 0x8b, 0x07, 0x48, 0x89, 0xc1, 0x48, 0x89, 0x04, 0xce, 0xc3};
	static const uint8_t proof[] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 6, 3, 1, 1, 0, 0, 7, 3, 0, 1, 0, 0, 0};
	static const struct bm_entry entry = {.name = "probe"};
	struct bm_module module = {.text = code,
		.text_size = sizeof code,
		.entries = &entry,
		.n_entries = 1,
		.state_size = 64,
		.proof = proof,
		.proof_size = sizeof proof};
	struct bm_file file = bm_build(&module);
	struct ward_verify_options o = {.size = sizeof o};

	for (o.explain = 0; o.explain < 2; o.explain++) {
		struct ward_verdict *v = ward_verify(file.data, file.size, &o);

		cr_assert(v && !v->accepted && v->n_violations == 1 && v->violations[0].rule == WARD_RULE_BOUNDS);
		cr_assert_eq(v->violations[0].origin_pc, o.explain ? BM_TEXT_ADDR : 0);
		cr_assert_eq(v->violations[0].origin_limit != NULL, o.explain == 1);
		ward_verdict_free(v);
	}
	bm_free(&file);
}

Test(options, names_that_are_missing)
{
	const char *const names[] = {"ward_read", NULL};
	struct ward_verify_options o = {.size = sizeof o, .max_state = 64, .n_allow = 1};

	cr_assert_eq(limit_holds(&o), -1);
	o.allow = names;
	cr_assert_eq(limit_holds(&o), 1);
	o.n_allow = 2;
	cr_assert_eq(limit_holds(&o), -1);
}

Test(options, no_file)
{
	struct ward_verdict *v;

	errno = 0;
	cr_assert_null(ward_verify(NULL, 1, NULL));
	cr_assert_eq(errno, EINVAL);
	v = ward_verify(NULL, 0, NULL);
	cr_assert(v && !v->accepted && v->n_violations > 0);
	ward_verdict_free(v);
	ward_verdict_free(NULL);
}
