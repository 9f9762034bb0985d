# attack: a register whose low byte alone is set is added to memory
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov cl, byte ptr [rdi]
bad:	add dword ptr [rsi], ecx
	ret
