# attack: two prefixes, either of which may be taken for the opcode's
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	.byte 0x66, 0xf3, 0x0f, 0x6f, 0x06
	ret
