# attack: the sum of two pointers is used as one
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rsi + rsi]
bad:	mov byte ptr [rax], 1
	ret
