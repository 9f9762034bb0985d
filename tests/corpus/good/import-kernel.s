# shows: a module for the kernel calls the imports of its profile, whose buffers are in its state and its stack
# rules: V-22 V-70 V-71 V-72 V-73
# state: 64
# allow: ward_kernel_read ward_kernel_read_str
# profile: kernel
# exit: call bytes 6
# exit: call string 6
# exit: return done 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 16
	mov rbx, rsi
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 8
bytes:
	call qword ptr [rip + ward_kernel_read@GOTPCREL]
	mov rdx, qword ptr [rsp]
	mov rdi, rbx
	mov esi, 32
string:
	call qword ptr [rip + ward_kernel_read_str@GOTPCREL]
	mov qword ptr [rbx + 32], rax
	add rsp, 16
	pop rbx
done:
	ret
