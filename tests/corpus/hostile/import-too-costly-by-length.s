# attack: a buffer so long that the import takes the run over its limit
# property: P8
# expect: V-63 too-many-instructions probe
# state: 1000
# allow: ward_read
# max-insns: 1000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 1000
	call qword ptr [rip + ward_read@GOTPCREL]
	ret
