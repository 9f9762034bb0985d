# attack: relies on a spilled number that an import overwrites if a length is one
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
	mov esi, dword ptr [rdi + 8]
	and esi, 1
	mov rdi, rsp
	call qword ptr [rip + ward_read@GOTPCREL]
	pop rax
	pop rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
