# attack: a pointer at offset 0 for a length
# property: P2
# expect: V-73 length-not-number bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
