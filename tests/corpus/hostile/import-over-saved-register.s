# attack: has an import write over a saved register at a known place
# property: P3
# expect: V-73 buffer-over-saved-register bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 8
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 9
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	add rsp, 8
	pop rbx
	ret
