// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a module must say of itself. There is no function here: of a module
 * that has any the kernel's stack unwinder knows all that is code, and it
 * would take probes for broken functions instead of unknown ones.
 */
#include <linux/module.h>
#include "arena.h"

EXPORT_SYMBOL_GPL(ward_arena);

MODULE_DESCRIPTION("Room for verified probes");
MODULE_AUTHOR("The Ward project");
MODULE_LICENSE("GPL");
