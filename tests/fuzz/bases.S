/* SPDX-License-Identifier: Apache-2.0 */
# Good functions that the fuzzers start from, each with 64 bytes of state and a table of eight words. They are chosen
# so that their proofs have something of everything: loops with a rank, counted locations, contracts with windows,
# results, slots, distances, remainders.
	.intel_syntax noprefix
	.macro BASE
	.pushsection .data.rel.ro.table, "aw"
	.quad 1f
	.popsection
1:
	.endm

	.section .data.rel.ro.table, "aw"
	.globl fuzz_bases
fuzz_bases:
	.section .rodata.code, "a"

	BASE # nothing at all
	ret

	BASE # a bounded index
	mov rax, [rdi]
	and eax, 7
	inc qword ptr [rsi + rax * 8]
	ret

	BASE # a counted loop over the state
	mov rax, rsi
	mov ecx, 8
2:	mov qword ptr [rax], 1
	add rax, 8
	dec rcx
	jne 2b
	ret

	BASE # nested loops, slots, callee-saved registers
	push rbx
	push rbp
	xor ebx, ebx
2:	mov [rsp - 8], rbx
	xor ebp, ebp
3:	mov rax, [rsp - 8]
	add rax, rbp
	and eax, 63
	mov byte ptr [rsi + rax], 3
	inc ebp
	cmp ebp, 5
	jb 3b
	inc ebx
	cmp ebx, 9
	jne 2b
	pop rbp
	pop rbx
	ret

	BASE # calls, a result, a window lent out of the frame
	push rbx
	mov rbx, rsi
	sub rsp, 16
	mov qword ptr [rsp], 0
	mov qword ptr [rsp + 8], 0
	mov rdi, rsp
	call 2f
	add rsp, 16
	mov [rbx + rax], al
	pop rbx
	jmp 3f
2:	inc qword ptr [rdi + 8]
	mov eax, 17
	ret
3:	ret

	BASE # a table of constants, a search until equal, signed bounds
	lea r8, [rip + 1b + 4096] # the table that fuzz.c puts on the next page
	xor eax, eax
	mov rdx, [rdi + 8]
2:	movsxd rcx, eax
	cmp [r8 + rcx * 8], rdx
	je 3f
	inc eax
	cmp eax, 8
	jl 2b
	ret
3:	mov [rsi], rcx
	ret

	BASE # down by a stride, unsigned division, conditional moves, 8-bit parts
	mov ecx, 64
2:	sub rcx, 8
	mov rax, [rdi]
	xor edx, edx
	mov r8d, 10
	div r8
	movzx edx, dl
	cmp rdx, 9
	mov r9d, 0
	cmova rdx, r9
	add byte ptr [rsi + rdx], 1
	xor edx, edx
	mov [rsi + rcx], rdx
	test rcx, rcx
	jne 2b
	ret

	BASE # two distances: a pointer until it meets its end
	mov rax, rsi
	lea rdx, [rsi + 64]
2:	mov cl, [rdi + 16]
	mov [rax], cl
	lock inc byte ptr [rsi]
	inc rax
	cmp rax, rdx
	jne 2b
	ret

	BASE # the end
	.section .data.rel.ro.table, "aw"
	.globl fuzz_bases_end
fuzz_bases_end:
	.section .note.GNU-stack, "", @progbits
