# attack: calls through the second half of a slot and what follows
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 8
	call qword ptr [rip + ward_read@GOTPCREL]
bad:	call qword ptr [rip + constant + 12]
	ret
	.section .rodata, "a"
constant:
	.quad 0
