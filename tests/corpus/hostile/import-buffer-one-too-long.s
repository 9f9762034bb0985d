# attack: a buffer that ends one byte after its region
# property: P2
# expect: V-73 buffer-outside-region bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	lea rdi, [rsi + 1]
	mov esi, 64
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
