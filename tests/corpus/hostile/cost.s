# attack: nested loops of 1,000 times 1,000 steps
# property: P8
# expect: V-63 too-many-instructions outer
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
outer:	xor ecx, ecx
inner:	inc ecx
	cmp ecx, 1000
	jb inner
	inc eax
	cmp eax, 1000
	jb outer
	ret
