# attack: a multiple of the quotient of the low half is taken from the whole
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov ecx, 0xaaaaaaab
	mov eax, edx
	imul rax, rcx
	shr rax, 34
	lea ecx, [rax + rax*2]
	add ecx, ecx
	sub rdx, rcx
bad:	mov byte ptr [rsi + rdx], 1
	ret
