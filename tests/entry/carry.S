/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose results, or arguments, are flags. They are assembled three times: KIND `plain` has no description
 * for unwinding; `debug` has one, and debug information; `neither` has a description, but no debug information.
 */
#define PASTE(a, b) a##_##b
#define NAME(kind, name) PASTE(kind, name)
#ifdef DESCRIBED
#define BEGIN .cfi_startproc
#define END .cfi_endproc
#else
#define BEGIN
#define END
#endif

	.macro	FUNCTION name
	.text
	.balign	16, 0xcc
	.globl	\name
	.type	\name, @function
\name:
	.endm

/* rdi < rsi, or equal to it, in carry and zero flag */
FUNCTION NAME(KIND, less)
	BEGIN
	mov	%rdi, %rax
	cmp	%rsi, %rdi
	ret
	END
	.size	NAME(KIND, less), . - NAME(KIND, less)
	.skip	16, 0xcc

/* rdi += rsi + the carry flag */
FUNCTION NAME(KIND, adc)
	BEGIN
	mov	%rdi, %rax
	adc	%rsi, %rdi
	nop
	ret
	END
	.size	NAME(KIND, adc), . - NAME(KIND, adc)
	.skip	16, 0xcc

/* rax = rdi < rsi; what the second part is told is in the carry flag */
FUNCTION NAME(KIND, tail)
	BEGIN
	mov	%rdi, %rax
	cmp	%rsi, %rdi
	jmp	NAME(KIND, after)
	END
	.size	NAME(KIND, tail), . - NAME(KIND, tail)
	.skip	16, 0xcc

FUNCTION NAME(KIND, after)
	BEGIN
	setb	%al
	movzbl	%al, %eax
	ret
	END
	.size	NAME(KIND, after), . - NAME(KIND, after)
	.section .note.GNU-stack, "", @progbits
