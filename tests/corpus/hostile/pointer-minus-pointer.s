# attack: the distance of two regions is used to reach one from the other
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	sub rax, rdi
bad:	mov byte ptr [rdi + rax], 1
	ret
