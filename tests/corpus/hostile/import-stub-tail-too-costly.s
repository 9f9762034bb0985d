# attack: a jump to a stub that leaves out what its import costs
# property: P8
# expect: V-63 too-many-instructions probe
# state: 64
# allow: ward_clock
# max-insns: 55
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	xor edi, edi
	call ward_clock@PLT
	pop rsi
	xor edi, edi
	jmp ward_clock@PLT
