# attack: stores a byte of rbx to the state
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [rsi], bl
	ret
