# attack: a pointer that moves in step with an index, but did not start there
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, dword ptr [rdi + 8]
	and eax, 7
	and ecx, 7
	lea rcx, [rsi + rcx*8]
1:	test eax, eax
	je 2f
	dec eax
	sub rcx, 8
bad:	mov qword ptr [rcx], 1
	jmp 1b
2:	ret
