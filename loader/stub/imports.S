/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The implementations of imports: code that emit_stubs.c copies into a target, and that probes there call through the
 * slots of their modules.
 *
 * spec/ward/import.def says what it guarantees, and the verifier relies on that. So:
 *
 * - No load touches memory of the target, since the address comes from the target and may be anything.
 *   process_vm_readv(2), on the process that calls it, reads the memory or says that it can't be read. It also fails
 *   for memory of a device.
 * - System calls are made here and not through the C library: the target may have none, errno stays unchanged, and no
 *   lock is taken.
 * - Each call asks for the process's own id, because a forked copy has another one.
 * - The code is position-independent, needs no aligned stack, preserves all registers except those that its row
 *   names, and doesn't touch the direction flag, which is clear.
 * - A buffer that is written is written completely, whatever happens.
 *
 * Each function states its cost: the most instructions on any path, with n bytes of buffer; and bytes of stack.
 */
	.intel_syntax noprefix

	.set SYS_GETPID, 39
	.set SYS_CLOCK_GETTIME, 228
	.set SYS_PROCESS_VM_READV, 310

	.section .rodata.ward_imports, "a"
	.irp	name, imports_code, imports_end, import_read, import_read_str, import_match, import_clock, import_stack
	.globl	wl_\name
	.hidden	wl_\name
	.endr
	.globl	wl_walk_data
	.hidden	wl_walk_data
	.balign	16
wl_imports_code:

/*
 * rax = process_vm_readv of this process, with the local buffer at rsp + 8 and the remote one at rsp + 24 (address,
 * length each). 11 instructions, with call and ret. Changes rcx, rdx, rsi, rdi, r8 to r11.
 */
read_remote:
	mov	eax, SYS_GETPID
	syscall
	mov	edi, eax
	lea	rsi, [rsp + 8]
	mov	edx, 1
	lea	r10, [rsp + 24]
	mov	r8d, 1
	xor	r9d, r9d
	mov	eax, SYS_PROCESS_VM_READV
	syscall
	ret

/* rdi: buffer, rsi: its length, rdx: address. 24 + n instructions, 40 bytes. */
	.balign	16
wl_import_read:
	endbr64
	push	rsi
	push	rdx
	push	rsi
	push	rdi
	call	read_remote
	pop	rdi
	pop	rcx
	add	rsp, 16
	cmp	rax, rcx
	je	1f
	xor	eax, eax
	rep stosb
1:	ret

/*
 * rdi: buffer, rsi: its length, rdx: address. It reads page by page, because the string may end right before an
 * unreadable page. At most n / 4096 + 2 pages, 32 instructions and one for each byte that is examined; 22 and one for
 * each byte cleared; 72 bytes.
 */
	.balign	16
wl_import_read_str:
	endbr64
	push	rbx
	push	rbp
	push	r12
	mov	rbx, rdi
	mov	rbp, rsi
	mov	r12, rdx
	push	rdi
1:	test	rbp, rbp
	je	3f
	mov	eax, r12d
	and	eax, 4095
	mov	ecx, 4096
	sub	ecx, eax
	cmp	rcx, rbp
	cmova	rcx, rbp
	push	rcx
	push	r12
	push	rcx
	push	rbx
	call	read_remote
	pop	rdi
	pop	rcx
	add	rsp, 16
	cmp	rax, rcx
	jne	2f
	mov	rdx, rcx
	xor	eax, eax
	repne scasb
	je	4f
	add	rbx, rdx
	add	r12, rdx
	sub	rbp, rdx
	jmp	1b
4:	dec	rdi			/* at the zero byte */
	sub	rdi, rbx
	add	rbx, rdi
	sub	rbp, rdi
2:	mov	rdi, rbx
	mov	rcx, rbp
	xor	eax, eax
	rep stosb
	jmp	5f
3:	cmp	rbx, [rsp]		/* no room for the zero byte: take the last one's, if there is any */
	je	5f
	dec	rbx
	mov	byte ptr [rbx], 0
5:	pop	rdi
	mov	rax, rbx
	sub	rax, rdi
	pop	r12
	pop	rbp
	pop	rbx
	ret

/*
 * rdi: buffer, rsi: its length, rdx: address. In pieces of 64 bytes; 33 instructions and one for each byte compared a
 * piece, and 16 more; 128 bytes.
 */
	.balign	16
wl_import_match:
	endbr64
	push	rbx
	push	rbp
	push	r12
	mov	rbx, rdi
	mov	rbp, rsi
	mov	r12, rdx
	sub	rsp, 64
1:	mov	eax, 1
	test	rbp, rbp
	je	3f
	mov	ecx, 64
	cmp	rcx, rbp
	cmova	rcx, rbp
	mov	rax, rsp
	push	rcx
	push	r12
	push	rcx
	push	rax
	call	read_remote
	pop	rsi
	pop	rcx
	add	rsp, 16
	cmp	rax, rcx
	jne	2f
	mov	rdi, rbx
	mov	rdx, rcx
	repe cmpsb
	jne	2f
	add	rbx, rdx
	add	r12, rdx
	sub	rbp, rdx
	jmp	1b
2:	xor	eax, eax
3:	add	rsp, 64
	pop	r12
	pop	rbp
	pop	rbx
	ret

/* rdi: clock. 13 instructions, 16 bytes. */
	.balign	16
wl_import_clock:
	endbr64
	sub	rsp, 16
	mov	rsi, rsp
	mov	eax, SYS_CLOCK_GETTIME
	syscall
	mov	edx, eax
	xor	eax, eax
	test	edx, edx
	jne	1f
	imul	rax, [rsp], 1000000000
	add	rax, [rsp + 8]
1:	add	rsp, 16
	ret

#include "walk.S"

	.balign	16
wl_imports_end:
	.section .note.GNU-stack, "", @progbits
