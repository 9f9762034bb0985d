# shows: the import that takes the kernel's stack costs its whole walk, exactly; its result is any number
# rules: V-41 V-63 V-70 V-71
# state: 64
# allow: ward_kernel_stack_take
# profile: kernel
# max-insns: 131078
# max-stack: 464
# exit: call walk 6
# exit: return done 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 127
walk:
	call qword ptr [rip + ward_kernel_stack_take@GOTPCREL]
	pop rsi
	mov qword ptr [rsi], rax
done:
	ret
