# attack: a vector load through gs
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	movups xmm0, xmmword ptr gs:[rsi]
	ret
