# attack: what is compared with a pointer was never set
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	cmp rax, rsi
	jb out
out:	ret
