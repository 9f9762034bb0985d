# attack: the signs of what a vector register held
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	pmovmskb eax, xmm1
	mov dword ptr [rsi], eax
	ret
