# shows: stores to module data
# rules: V-32 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov qword ptr [rip + counter], rax
	ret
	.data
counter:
	.quad 0
