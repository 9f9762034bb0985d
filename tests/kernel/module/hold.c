// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another tracer: it holds the first instruction of each function whose name matches what is written to the parameter
 * `hold`, until something is written to `release`.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/ibt.h>
#include <asm/linkage.h>

#include "compat.h"

extern u8 ward_holds[];

asm(".pushsection .text, \"ax\", @progbits\n"
    ".type ward_holds, @function\n"
    ".globl ward_holds\n"
    "ward_holds:\n" ASM_ENDBR ASM_RET ".size ward_holds, .-ward_holds\n"
    ".popsection\n");

static struct ftrace_ops held;
static bool holds;

static int let_go(const char *text, const struct kernel_param *unused)
{
	int err;

	if (!holds)
		return -ENOENT;
	err = ward_direct_unregister(&held, (unsigned long)ward_holds);
	ftrace_free_filter(&held);
	memset(&held, 0, sizeof(held));
	holds = false;
	module_put(THIS_MODULE);
	return err;
}

static int hold(const char *text, const struct kernel_param *unused)
{
	char name[64];
	int err;

	if (holds)
		return -EBUSY;
	strscpy(name, text, sizeof(name));
	err = ftrace_set_filter(&held, strim(name), strlen(strim(name)), 1)
		      ?: ward_direct_register(&held, (unsigned long)ward_holds);
	if (err) {
		ftrace_free_filter(&held);
		memset(&held, 0, sizeof(held));
		return err;
	}
	holds = true;
	__module_get(THIS_MODULE);
	return 0;
}

static const struct kernel_param_ops hold_ops = {.set = hold}, release_ops = {.set = let_go};

module_param_cb(hold, &hold_ops, NULL, 0200);
module_param_cb(release, &release_ops, NULL, 0200);
