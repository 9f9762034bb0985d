# attack: a pointer that moves faster than its index
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	lea rcx, [rsi + rax*8]
1:	test eax, eax
	je 2f
	dec eax
	sub rcx, 16
bad:	mov qword ptr [rcx + 8], 1
	jmp 1b
2:	ret
