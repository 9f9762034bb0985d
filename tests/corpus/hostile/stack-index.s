# attack: an indexed stack store that may reach the return address
# property: P3
# class: rsp-in-address
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 15
bad:	mov byte ptr [rsp + rax - 8], 1
	ret
