# attack: saves rbx somewhere in the stack
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 8
bad:	mov qword ptr [rsp + rax - 16], rbx
	ret
