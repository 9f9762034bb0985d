# attack: a buffer in the stack that is as far above it as a number can be, so that its end is below again
# property: P2
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movabs rax, 0x7ffffffffffffff0
	lea rdi, [rsp + rax]
	mov edx, 0
	mov esi, 64
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
