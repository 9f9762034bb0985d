# attack: a product of bytes fills the second byte too
# property: P1
# class: high-byte-register
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 16
	mul al
bad:	mov byte ptr [rsi + rax], 1
	ret
