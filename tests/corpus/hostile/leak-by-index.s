# attack: uses rbx in an address
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lea rax, [rsi + rbx]
	ret
