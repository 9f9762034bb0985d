# attack: copies a saved register to the state
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov rdi, rsi
	mov rsi, rsp
	mov ecx, 1
bad:	rep movsq
	pop rbx
	ret
