# shows: rep stos of bytes, from anywhere: only its direction matters
# rules: V-51 V-63
# state: 64
# needs: df-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rdi, [rsi + 3]
	mov ecx, 21
	xor eax, eax
	rep stosb
	ret
