# attack: one instruction more than the limit, on a loop's exit path
# property: P8
# expect: V-63 too-many-instructions again
# state: 64
# max-insns: 42
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
