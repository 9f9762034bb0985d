# attack: reads a stack slot that was never set
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 8
bad:	mov rax, qword ptr [rsp]
	mov qword ptr [rsi], rax
	add rsp, 8
	ret
