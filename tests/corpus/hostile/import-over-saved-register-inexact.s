# attack: has an import write somewhere near a saved register
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
	sub rsp, 24
	mov rdx, qword ptr [rdi]
	mov eax, dword ptr [rdi + 8]
	and eax, 16
	lea rdi, [rsp + rax + 1]
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	add rsp, 24
	pop rbx
	ret
