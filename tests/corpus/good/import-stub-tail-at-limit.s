# shows: a jump to a stub costs what its import costs, and one
# rules: V-63
# state: 64
# allow: ward_clock
# max-insns: 56
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
