# attack: has an import write over the return address
# property: P3
# expect: V-73 buffer-outside-frame bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 8
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 16
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	add rsp, 8
	ret
