# shows: an indexed stack store beside the slot of a saved register
# rules: V-34 V-42
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 16
	mov qword ptr [rsp], 0
	mov qword ptr [rsp + 8], 0
	mov eax, dword ptr [rdi]
	and eax, 15
	mov byte ptr [rsp + rax], 1
	mov rbx, qword ptr [rsp]
	mov qword ptr [rsi], rbx
	add rsp, 16
	pop rbx
	ret
