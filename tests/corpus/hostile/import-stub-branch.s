# attack: a branch to a stub that passes what it must not
# property: P2
# expect: V-73 id-too-large bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rdi
	xor edi, edi
	call ward_clock@PLT
	pop rdi
	mov rdi, qword ptr [rdi]
	cmp rdi, 8
bad:	jbe ward_clock@PLT
	ret
