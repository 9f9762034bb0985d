# attack: a counter that steps over its end and wraps
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	add eax, 3
	cmp eax, 1000
bad:	jne head
	ret
