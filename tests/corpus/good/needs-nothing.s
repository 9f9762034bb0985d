# shows: needs nothing of the flags: each access is a multiple of its width from the beginning of its region, whatever the index; bytes may lie anywhere
# rules: V-30 V-31 V-51
# state: 64
# needs: nothing
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi + 8]
	mov ecx, eax
	and ecx, 7
	inc qword ptr [rsi + rcx*8]
	mov dword ptr [rsi + rcx*8 + 4], eax
	mov edx, eax
	and edx, 60
	add dword ptr [rsi + rdx], ecx
	and eax, 63
	mov byte ptr [rsi + rax], cl
	push rcx
	mov word ptr [rsp + 2], dx
	pop rcx
	mov word ptr [rsi + 62], cx
	ret
