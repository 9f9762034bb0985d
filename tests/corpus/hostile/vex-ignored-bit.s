# attack: a bit of VEX without effect
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
	mov ecx, 1
bad:	.byte 0xc4, 0xa2, 0x70, 0xf2, 0xc1	# andn eax, ecx, ecx with VEX.X
	ret
