# attack: loads a constant and the import's slot behind it with one vector register
# property: P9
# expect: V-72 read-of-import-slot bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movups xmm0, xmmword ptr [rip + constant]
	movups xmmword ptr [rsi], xmm0
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
