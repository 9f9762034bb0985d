# attack: an index of rsp that wraps around to the return address
# property: P4
# class: rsp-in-address
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	movabs rcx, 0x2000000000000000
	imul rax, rcx
bad:	mov qword ptr [rsp + rax * 8], 1
	ret
