# attack: a stub called with a buffer that is too long
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
	mov rdi, rsi
	mov esi, 65
bad:	call ward_read@PLT
	ret
