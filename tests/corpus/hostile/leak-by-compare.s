# attack: branches on rbx
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	cmp rbx, 0
	je out
	mov byte ptr [rsi], 1
out:	ret
