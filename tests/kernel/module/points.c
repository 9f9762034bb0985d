// SPDX-License-Identifier: GPL-2.0-only
/* A module with tracepoints, which fire as often as the number written to its parameter `pass`. */
#include <linux/kernel.h>
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "events.h"
#include "words.h"

static int pass(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++) {
		trace_ward_seven(1, 22, THIS_MODULE->name, -4, -5, i, 77);
		trace_ward_six(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5));
		trace_initcall_level(i);
	}
	return err;
}

static const struct kernel_param_ops pass_ops = {.set = pass};

module_param_cb(pass, &pass_ops, NULL, 0200);

MODULE_DESCRIPTION("Tracepoints for tests");
MODULE_LICENSE("GPL");
