# attack: reaches a breakpoint
# property: P6
# expect: V-24 padding-reached bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi], 1
bad:	int3
