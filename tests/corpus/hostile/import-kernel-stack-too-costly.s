# attack: a walk of the kernel's stack that takes the run over its limit
# property: P8
# expect: V-63 too-many-instructions probe
# state: 64
# allow: ward_kernel_stack_take
# profile: kernel
# max-insns: 131076
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 127
	call qword ptr [rip + ward_kernel_stack_take@GOTPCREL]
	pop rsi
	ret
