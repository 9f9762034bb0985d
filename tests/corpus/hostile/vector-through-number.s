# attack: a pointer comes back from a vector register
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movq xmm0, rsi
	movq rax, xmm0
bad:	mov byte ptr [rax], 1
	ret
