# attack: a jump to a stub with a buffer in the frame that is left
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rdi
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 8
	call ward_read@PLT
	pop rdi
	mov rdx, qword ptr [rdi]
	lea rdi, [rsp - 8]
	mov esi, 8
bad:	jmp ward_read@PLT
