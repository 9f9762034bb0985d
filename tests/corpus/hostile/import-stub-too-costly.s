# attack: a call of a stub that leaves out what its import costs
# property: P8
# expect: V-63 too-many-instructions probe
# state: 64
# allow: ward_clock
# max-insns: 27
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 0
	call ward_clock@PLT
	ret
