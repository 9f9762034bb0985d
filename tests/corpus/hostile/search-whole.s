# attack: binary search that forgets to halve: the middle may be the upper end
# property: P1
# expect: V-31 load-outside-region bad
# state: 512
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	cmp rcx, 64
	ja 4f
	cmp rdx, rcx
	jae 4f
	mov rax, rcx
	sub rax, rdx
	add rax, rdx
bad:	mov r8, qword ptr [rsi + rax*8]
4:	ret
