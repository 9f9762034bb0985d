# attack: the sum of two low bytes, stored with the host's bytes above it
# property: P9
# class: partial-register
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
	mov dl, byte ptr [rdi + 8]
	lea ecx, [rax + rdx]
bad:	mov word ptr [rsi], cx
	ret
