# attack: branches on the flags that the host left
# property: P9
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	jb out
	mov byte ptr [rsi], 1
out:	ret
