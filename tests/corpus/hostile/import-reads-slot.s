# attack: has an import compare its own slot
# property: P9
# expect: V-72 read-of-import-slot bad
# state: 64
# allow: ward_match
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	lea rdi, [rip + constant]
	mov esi, 9
bad:	call qword ptr [rip + ward_match@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
