# attack: a result is bounded by a length that may be larger than the state, and used as an index into the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# allow: ward_kernel_current
# profile: kernel
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov rbx, rsi
	mov rdi, rsi
	mov esi, 57
	call qword ptr [rip + ward_kernel_current@GOTPCREL]
bad:	mov qword ptr [rbx + rax], rax
	pop rbx
	ret
