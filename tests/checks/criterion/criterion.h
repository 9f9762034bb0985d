/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of Criterion that tests/verifier needs to become part of another program (tests/checks/run.c). Its tests
 * enter themselves in a list, and a test that fails ends its process, which is a child.
 */
#ifndef WARD_TESTS_AS_CRITERION_H
#define WARD_TESTS_AS_CRITERION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

void ward_unit_enter(const char *suite, const char *name, void (*run)(void));

#define Test(suite, name, ...) \
	static void suite##_##name##_run(void); \
	__attribute__((constructor)) static void suite##_##name##_enter(void) \
	{ \
		ward_unit_enter(#suite, #name, suite##_##name##_run); \
	} \
	static void suite##_##name##_run(void)

static inline void ward_unit_check(bool ok)
{
	if (!ok)
		_exit(1);
}

#define cr_assert(condition, ...) ward_unit_check(condition)
#define cr_expect(condition, ...) ward_unit_check(condition)
#define cr_assert_eq(a, b, ...) ward_unit_check((a) == (b))
#define cr_expect_eq(a, b, ...) ward_unit_check((a) == (b))
#define cr_assert_neq(a, b, ...) ward_unit_check((a) != (b))
#define cr_assert_gt(a, b, ...) ward_unit_check((a) > (b))
#define cr_assert_null(a, ...) ward_unit_check(!(a))
#define cr_assert_str_eq(a, b, ...) ward_unit_check(!strcmp(a, b))
#define cr_expect_str_eq(a, b, ...) ward_unit_check(!strcmp(a, b))
#define cr_assert_str_neq(a, b, ...) ward_unit_check(strcmp(a, b) != 0)

#endif
