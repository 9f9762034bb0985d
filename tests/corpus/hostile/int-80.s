# attack: enters the kernel by a software interrupt
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	int 0x80
	ret
