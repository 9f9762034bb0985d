/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uint64_t import_call(const void *fn, const uint64_t args[3], void *stack, uint64_t kept[7], long trace)
 *
 * Calls fn(args[0], args[1], args[2]) with rsp at `stack` and patterns in the registers that fn must preserve. If
 * `trace` is set, the trap flag is set from the call until right after its return. kept receives rbx, rbp, r12 to r15
 * and the flags afterwards.
 */
	.intel_syntax noprefix
	.text
	.globl	import_call, import_patterns
	.type	import_call, @function
import_call:
	push	rbx
	push	rbp
	push	r12
	push	r13
	push	r14
	push	r15
	push	rcx
	mov	[rip + outer_sp], rsp
	mov	rsp, rdx
	mov	rax, rdi
	mov	r9, rsi
	mov	rbx, [rip + import_patterns]
	mov	rbp, [rip + import_patterns + 8]
	mov	r12, [rip + import_patterns + 16]
	mov	r13, [rip + import_patterns + 24]
	mov	r14, [rip + import_patterns + 32]
	mov	r15, [rip + import_patterns + 40]
	mov	rdi, [r9]
	mov	rsi, [r9 + 8]
	mov	rdx, [r9 + 16]
	test	r8, r8
	je	1f
	pushfq
	or	dword ptr [rsp], 0x100
	popfq
1:	call	rax
	pushfq
	pop	rcx
	and	ecx, ~0x100
	push	rcx
	popfq
	mov	rsp, [rip + outer_sp]
	mov	rdx, [rsp]
	mov	[rdx], rbx
	mov	[rdx + 8], rbp
	mov	[rdx + 16], r12
	mov	[rdx + 24], r13
	mov	[rdx + 32], r14
	mov	[rdx + 40], r15
	mov	[rdx + 48], rcx
	pop	rcx
	pop	r15
	pop	r14
	pop	r13
	pop	r12
	pop	rbp
	pop	rbx
	ret
	.size	import_call, .-import_call

	.data
	.balign	8
import_patterns:
	.quad	0x1111111111111111, 0x2222222222222222, 0x3333333333333333
	.quad	0x4444444444444444, 0x5555555555555555, 0x6666666666666666
	.local	outer_sp
	.comm	outer_sp, 8, 8
	.section .note.GNU-stack, "", @progbits
