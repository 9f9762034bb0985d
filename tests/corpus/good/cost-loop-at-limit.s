# shows: ten times back to the head, and once over the longer exit path
# rules: V-63
# state: 64
# max-insns: 43
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
again:
	add eax, 1
	cmp eax, 11
	jb again
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	ret
