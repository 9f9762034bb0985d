/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A return as any module has it. When the kernel loads this module, it replaces the return or leaves it, depending on
 * the processor. Nothing else shows which thunk it uses, and newer kernels warn of a jump to the thunk by name.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

	.text
SYM_START(ward_our_return, SYM_L_GLOBAL, SYM_A_ALIGN)
	ANNOTATE_NOENDBR
	RET
SYM_END(ward_our_return, SYM_T_FUNC)
