# attack: has an import look at a saved register
# property: P9
# expect: V-73 buffer-not-set bad
# state: 64
# allow: ward_match
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 8
bad:	call qword ptr [rip + ward_match@GOTPCREL]
	pop rbx
	ret
