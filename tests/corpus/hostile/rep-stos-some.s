# attack: fills as many bytes as an argument says, and reads all
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	and ecx, 7
	lea rdi, [rsp - 64]
	xor eax, eax
	rep stosq
bad:	mov rax, qword ptr [rsp - 64]
	ret
