# shows: endbr64, whose F3 is part of the opcode
# rules: V-11 V-10
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	endbr64
	mov byte ptr [rsi], 1
	ret
