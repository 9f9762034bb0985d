# attack: a pointer used as a scaled index
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
bad:	mov byte ptr [rax + rsi*2], 1
	ret
