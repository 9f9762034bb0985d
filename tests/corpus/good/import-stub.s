# shows: calls imports through stubs, from two places, and leaves through one
# rules: V-22 V-26 V-64 V-73
# state: 64
# allow: ward_read ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push r12
	sub rsp, 16
	mov rbx, rsi
	mov r12, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 16
	mov rdx, r12
	call ward_read@PLT
	mov rax, qword ptr [rsp + 8]
	mov qword ptr [rbx], rax
	lea rdi, [rbx + 8]
	mov esi, 56
	mov rdx, r12
	call ward_read@PLT
	mov byte ptr [rbx + rax], 1
	add rsp, 16
	pop r12
	pop rbx
	mov edi, 1
	cmp rax, 8
	je ward_clock@PLT
	xor edi, edi
	jmp ward_clock@PLT
