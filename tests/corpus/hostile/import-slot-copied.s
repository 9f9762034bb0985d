# attack: copies a slot with a string instruction
# property: P9
# expect: V-72 read-of-import-slot bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdi, rsi
	lea rsi, [rip + constant]
	mov ecx, 2
bad:	rep movsq
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
