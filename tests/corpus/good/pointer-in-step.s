# shows: a pointer that moves in step with an index is bounded by the index
# rules: V-31 V-60 V-62
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
	sub rcx, 8
	mov qword ptr [rcx], 1
	jmp 1b
2:	ret
