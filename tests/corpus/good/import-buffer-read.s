# shows: buffers to read: constants beside the slot, part of the event, set bytes of the stack
# rules: V-72 V-73
# state: 64
# allow: ward_match
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push r12
	mov r12, rdi
	xor ebx, ebx
	mov rdx, qword ptr [r12]
	lea rdi, [rip + constant]
	mov esi, 8
	call qword ptr [rip + ward_match@GOTPCREL]
	add rbx, rax
	mov rdx, qword ptr [r12]
	mov rdi, r12
	mov esi, 48
	call qword ptr [rip + ward_match@GOTPCREL]
	add rbx, rax
	mov rdx, qword ptr [r12]
	push rbx
	mov rdi, rsp
	mov esi, 8
	call qword ptr [rip + ward_match@GOTPCREL]
	pop rbx
	add rbx, rax
	pop r12
	pop rbx
	ret
	.section .rodata, "a"
constant:
	.quad 0x2f637465
