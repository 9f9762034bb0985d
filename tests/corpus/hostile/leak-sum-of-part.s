# attack: 16 bits of a register whose low byte alone is set go into a sum
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov cl, byte ptr [rdi]
bad:	add cx, 1
	mov word ptr [rsi], cx
	ret
