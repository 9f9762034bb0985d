# attack: a loop over a call, whose product is over the limit
# property: P8
# expect: V-63 too-many-instructions head
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push r12
	push r13
	mov r12, rdi
	mov r13, rsi
	xor ebx, ebx
head:	mov rdi, r12
	mov rsi, r13
	call callee
	inc ebx
	cmp ebx, 2500
	jb head
	pop r13
	pop r12
	pop rbx
	ret
callee:
	xor eax, eax
inner:	inc eax
	cmp eax, 2500
	jb inner
	ret
