# attack: a counter that is set back on one path
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	inc eax
	cmp dword ptr [rsi], 5
	jne over
	xor eax, eax
over:	cmp eax, 1000
bad:	jb head
	ret
