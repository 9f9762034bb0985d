// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose arguments are known numbers, and which check that they got them. Each is called as often as the
 * number written to the parameter `call`. The write fails if a function didn't get its arguments, or returned
 * something else.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "words.h"

#define FUNCTION(n) \
	u64 ward_word_##n(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f); \
	__attribute__((__noipa__)) u64 ward_word_##n(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) \
	{ \
		return MIX(a, b, c, d, e, f, 0##n##UL); \
	}
EACH_SET(FUNCTION)

#define ENTRY(n) {ward_word_##n, 0##n},
static const struct {
	u64 (*function)(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
	u64 number;
} functions[] = {EACH_SET(ENTRY)};

static int call_all(void)
{
	u64 n;

	for (n = 0; n < ARRAY_SIZE(functions); n++)
		if (functions[n].function(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5)) !=
			MIX(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), functions[n].number))
			return -EILSEQ;
	return 0;
}

static int call(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++)
		err = call_all();
	return err;
}

static const struct kernel_param_ops call_ops = {.set = call};

module_param_cb(call, &call_ops, NULL, 0200);
