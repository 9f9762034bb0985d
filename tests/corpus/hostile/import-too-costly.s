# attack: an import that takes the run over its limit
# property: P8
# expect: V-63 too-many-instructions probe
# state: 64
# allow: ward_clock
# max-insns: 26
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
