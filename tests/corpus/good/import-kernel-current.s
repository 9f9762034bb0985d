# shows: a module for the kernel calls the import for the running task: with a buffer in its frame, and with a shorter one at the end of its state; the result is at most the length
# rules: V-70 V-71 V-72 V-73
# state: 64
# allow: ward_kernel_current
# profile: kernel
# exit: call whole 6
# exit: call part 6
# exit: return done 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 48
	mov rbx, rsi
	lea rdi, [rsp + 8]
	mov esi, 40
whole:
	call qword ptr [rip + ward_kernel_current@GOTPCREL]
	mov rax, qword ptr [rsp + 40]
	mov qword ptr [rbx], rax
	lea rdi, [rbx + 56]
	mov esi, 8
part:
	call qword ptr [rip + ward_kernel_current@GOTPCREL]
	mov qword ptr [rbx + rax*4], rax
	add rsp, 48
	pop rbx
done:
	ret
