# attack: more branches outside the text than are judged together
# property: P6
# expect: V-21 branch-to-unproven last
# expect: V-20 branch-outside-text bad 64
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp eax, 1
bad:	.rept 64
	.byte 0x0f, 0x84
	.long 0x100000
	.endr
last:	.byte 0x0f, 0x84
	.long 0x100000
	ret
