# shows: an import's instructions and stack count, exactly
# rules: V-41 V-63
# state: 64
# allow: ward_clock
# max-insns: 27
# max-stack: 72
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
