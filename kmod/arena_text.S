/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arena, which contains probes and the stubs that call them. It is code of a module, so the kernel maps it
 * executable and not writable, and within reach of the kernel's own code. Unused bytes are int3.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include "arena.h"

	.text
	.balign	WARD_ARENA_PAGE
	.globl	ward_arena
	.type	ward_arena, @object
ward_arena:
	ANNOTATE_NOENDBR /* no one calls it: its address is exported */
	.fill	WARD_ARENA_SIZE, 1, 0xcc
	.size	ward_arena, . - ward_arena
