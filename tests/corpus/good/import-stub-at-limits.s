# shows: a stub costs one instruction more, and no stack
# rules: V-41 V-63
# state: 64
# allow: ward_clock
# max-insns: 28
# max-stack: 72
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 0
	call ward_clock@PLT
	ret
