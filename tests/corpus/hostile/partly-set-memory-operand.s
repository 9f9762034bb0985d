# attack: combines a register that is set in part with memory outside the state
# property: P1
# expect: V-50 read-of-unset-register bad
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
bad:	or eax, dword ptr [rsi + 61]
	mov byte ptr [rsi], al
	ret
