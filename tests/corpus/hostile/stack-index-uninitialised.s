# attack: an indexed load of a stack array that was never set
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 16
	mov eax, dword ptr [rdi]
	and eax, 15
bad:	mov cl, byte ptr [rsp + rax]
	mov byte ptr [rsi], cl
	add rsp, 16
	ret
