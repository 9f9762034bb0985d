# attack: extracts a word by a number that counts only with its low three bits
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movlps xmm0, qword ptr [rsi]
bad:	pextrw eax, xmm0, 0xfc
	mov dword ptr [rsi], eax
	ret
