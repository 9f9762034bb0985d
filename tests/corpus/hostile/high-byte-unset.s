# attack: sets the second byte of a register and reads the first
# property: P9
# class: high-byte-register
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ah, 1
bad:	mov byte ptr [rsi], al
	ret
