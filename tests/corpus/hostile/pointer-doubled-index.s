# attack: a pointer added to itself, taken for a multiple of its offset
# property: P1
# expect: V-31 store-outside-region bad
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rsi + rsi]
bad:	mov byte ptr [rsi + rax], 1
	ret
