// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a module must declare. There is no function here: if a module has any, the kernel's stack unwinder assumes
 * that it knows all of the module's code, and would take probes for broken functions instead of unknown ones.
 */
#include <linux/module.h>
#include "arena.h"

EXPORT_SYMBOL_GPL(ward_arena);

MODULE_DESCRIPTION("Room for verified probes");
MODULE_AUTHOR("The Ward project");
MODULE_LICENSE("GPL");
