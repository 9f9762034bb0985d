# attack: branches on whether a register is zero, though only its low byte was set
# property: P9
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
	mov dl, byte ptr [rdi + 8]
	or eax, edx
bad:	jne 1f
	mov byte ptr [rsi], 1
1:	ret
