# attack: a signed comparison of numbers that may be negative is taken for their order as unsigned ones
# property: P1
# expect: V-31 load-outside-region bad
# state: 512
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov edx, dword ptr [rdi + 8]
	cmp ecx, 64
	ja 4f
	cmp edx, ecx
	jge 4f
	mov eax, ecx
	sub eax, edx
	shr eax
	add eax, edx
bad:	mov r8, qword ptr [rsi + rax*8]
4:	ret
