# attack: and with one leaves a bit of the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	and rcx, 1
	mov byte ptr [rsi + rcx], 1
	ret
