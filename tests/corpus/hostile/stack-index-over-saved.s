# attack: an indexed stack store that may cover the slot of a saved register
# property: P3
# class: rsp-in-address
# expect: V-34 store-over-saved-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	sub rsp, 16
	mov eax, dword ptr [rdi]
	and eax, 15
bad:	mov byte ptr [rsp + rax + 8], 1
	add rsp, 16
	pop rcx
	ret
