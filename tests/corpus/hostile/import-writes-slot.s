# attack: has an import write its own slot
# property: P7
# expect: V-73 buffer-read-only bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	lea rdi, [rip + constant + 8]
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
	.section .rodata, "a"
constant:
	.quad 0
