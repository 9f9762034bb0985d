# attack: a module for processes calls the kernel's import for the running task
# property: P2
# expect: V-71 import-not-in-profile -
# state: 64
# allow: ward_kernel_current
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 8
	call qword ptr [rip + ward_kernel_current@GOTPCREL]
	ret
