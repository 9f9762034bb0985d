# attack: repetitions that sum up to 2^31 in one block
# property: P8
# expect: V-63 too-many-instructions bad
# state: 65536
# max-insns: 4294967295
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	.rept 32766
	mov ecx, 65536
	mov rdi, rsi
	rep stosb
	.endr
	mov ecx, 65536
	mov rdi, rsi
bad:	rep stosb
	ret
