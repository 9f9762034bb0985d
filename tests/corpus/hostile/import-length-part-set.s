# attack: a length whose low byte alone the probe set
# property: P9
# expect: V-73 argument-not-set bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	xchg rsi, rcx
	mov sil, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
