# attack: an argument that holds what the host left there
# property: P9
# expect: V-73 argument-not-set bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdi, rsi
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
