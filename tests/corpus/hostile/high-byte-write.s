# attack: an index made larger through its second byte
# property: P1
# class: high-byte-register
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ah, 1
bad:	mov byte ptr [rsi + rax], 1
	ret
