# attack: nested loops of 2,500 times 2,500 steps
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
	cmp ecx, 2500
	jb inner
	inc eax
	cmp eax, 2500
	jb outer
	ret
