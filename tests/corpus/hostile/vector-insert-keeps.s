# attack: a word is inserted among bytes of the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	pinsrw xmm0, eax, 1
bad:	movd eax, xmm0
	mov dword ptr [rsi], eax
	ret
