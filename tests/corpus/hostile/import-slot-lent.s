# attack: lends a callee a window of constants with a slot in it
# property: P9
# expect: V-60 contract-not-met bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	push 0
	push 0
	mov rdi, rsp
	call callee
	pop rax
	pop rax
	lea rdi, [rip + constant]
bad:	call callee
	pop rsi
	mov qword ptr [rsi], rax
	mov edi, 0
	jmp qword ptr [rip + ward_clock@GOTPCREL]
callee:	mov rax, qword ptr [rdi + 8]
	ret
	.section .rodata, "a"
constant:
	.quad 0
