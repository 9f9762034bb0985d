# attack: relies on a spilled number that an import may have overwritten
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	push 0
	mov rdx, qword ptr [rdi]
	mov rdi, rsp
	mov esi, 1
	call qword ptr [rip + ward_read@GOTPCREL]
	pop rax
	pop rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
