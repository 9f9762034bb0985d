# attack: bytes that nothing reaches are no padding
# property: P6
# expect: V-25 unreached-code bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
bad:	mov byte ptr [rsi], 1
	ret
