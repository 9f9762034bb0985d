# attack: moves an address of the stack to rsp that is not known exactly
# property: P4
# expect: V-40 stack-pointer-unknown bad
# expect: V-23 return-with-unbalanced-stack after
# expect: V-42 callee-saved-register-changed after
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbp
	mov eax, dword ptr [rdi]
	and eax, 8
	lea rbp, [rsp + rax]
bad:	leave
after:	ret
