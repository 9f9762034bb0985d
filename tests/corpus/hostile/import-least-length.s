# attack: reads bytes of a buffer that an import may not have written
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	sub rsp, 16
	mov rdx, qword ptr [rdi]
	mov esi, dword ptr [rdi + 8]
	and esi, 1
	add esi, 7
	mov rdi, rsp
	call qword ptr [rip + ward_read@GOTPCREL]
bad:	mov rax, qword ptr [rsp]
	add rsp, 16
	pop rsi
	mov qword ptr [rsi], rax
	ret
