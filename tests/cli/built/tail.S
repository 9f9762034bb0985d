/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short functions at the end of .text, and in the last bytes of a page. Nops
 * before the last ones have room for a jump. tail_alone has no room at all, as another function follows.
 */
	.macro fn name
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	.endm
	.macro end name
	.cfi_endproc
	.size \name, . - \name
	.endm

	.text
	.p2align 4
fn tail_alone
	ret
end tail_alone
fn tail_before
	mov	$3, %eax
	ret
end tail_before
	.p2align 4
fn tail_last
	xor	%eax, %eax
	ret
end tail_last

	.section .zend, "ax", @progbits
	.p2align 12
	.skip	4078, 0x90
fn end_before
	mov	$4, %eax
	ret
end end_before
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00, 0x90, 0x90, 0x90, 0x90
fn end_last
	xor	%eax, %eax
	ret
end end_last
	.section .note.GNU-stack, "", @progbits
