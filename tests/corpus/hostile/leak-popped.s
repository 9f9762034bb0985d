# attack: reads a slot again after a callee used the stack below
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov qword ptr [rsp - 16], 1
	call callee
bad:	mov rax, qword ptr [rsp - 16]
	pop rsi
	mov qword ptr [rsi], rax
	ret
callee:	ret
