# attack: takes what an import returns for less than the length
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
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov esi, 64
	call qword ptr [rip + ward_read@GOTPCREL]
	pop rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
