# attack: extracts a word of the half that was not loaded
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movlps xmm0, qword ptr [rsi]
bad:	pextrw eax, xmm0, 4
	mov dword ptr [rsi], eax
	ret
