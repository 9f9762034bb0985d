# shows: where control leaves a module in the kernel, and how much room the kernel has for its own branches: returns with int3 behind them and without, a call and a jump to imports, and bytes of other instructions that only look like exits
# rules: V-22 V-25
# profile: kernel
# state: 64
# allow: ward_kernel_read
# exit: return none 5
# exit: return few 4
# exit: return many 17
# exit: return nops 1
# exit: call through 6
# exit: jump last 9
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov eax, 0xccccccc3
	test rdx, rdx
	jne 1f
none:
	ret
	.fill 4, 1, 0xcc
1:	cmp rdx, 1
	jne 2f
few:
	ret
	.fill 3, 1, 0xcc
2:	cmp rdx, 2
	jne 3f
many:
	ret
	.fill 20, 1, 0xcc
3:	cmp rdx, 3
	jne 4f
nops:
	ret
	nop
	.fill 4, 1, 0xcc
4:	push rbx
	push r12
	sub rsp, 8
	mov rbx, rsi
	mov r12, rdx
	mov rdi, rsi
	mov esi, 8
through:
	call qword ptr [rip + ward_kernel_read@GOTPCREL]
	jmp 5f
	.fill 4, 1, 0xcc
5:	mov rdi, rbx
	mov rdx, r12
	mov esi, 16
	add rsp, 8
	pop r12
	pop rbx
last:
	jmp qword ptr [rip + ward_kernel_read@GOTPCREL]
	.fill 3, 1, 0xcc
