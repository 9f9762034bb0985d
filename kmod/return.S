/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A return, and a jump to where r11 points, as any module has them. When the kernel loads this module, it replaces
 * them or leaves them, depending on the processor. Nothing else shows which thunks it uses, and newer kernels warn of a
 * jump to the thunk by name.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

	.text
SYM_START(ward_our_return, SYM_L_GLOBAL, SYM_A_ALIGN)
	ANNOTATE_NOENDBR
	RET
SYM_END(ward_our_return, SYM_T_FUNC)

SYM_START(ward_our_jump, SYM_L_GLOBAL, SYM_A_ALIGN)
	ANNOTATE_NOENDBR
	JMP_NOSPEC r11
SYM_END(ward_our_jump, SYM_T_FUNC)
