# shows: what an import wrote to the stack is the probe's own
# rules: V-73 V-51
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	sub rsp, 16
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 16
	call qword ptr [rip + ward_read@GOTPCREL]
	mov rax, qword ptr [rsp]
	add rax, qword ptr [rsp + 8]
	add rsp, 16
	pop rsi
	mov qword ptr [rsi], rax
	ret
