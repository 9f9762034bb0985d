# attack: a low byte and the host's bits above it as an index
# property: P1
# class: partial-register
# expect: V-50 read-of-unset-register bad
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
	xor eax, 1
bad:	mov byte ptr [rsi + rax], 1
	ret
