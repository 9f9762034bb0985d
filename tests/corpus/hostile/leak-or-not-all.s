# attack: or with ones everywhere but in the highest bit, which stays the host's
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	or eax, 0x7fffffff
	mov dword ptr [rsi], eax
	ret
