# attack: zero-extends the second byte of a register that is set only in its first
# property: P9
# class: high-byte-register
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, 1
bad:	movzx ecx, ah
	mov byte ptr [rsi], cl
	ret
