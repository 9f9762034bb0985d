# shows: binary search with its addends in the other order
# rules: V-31 V-60 V-62
# state: 512
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov r8, qword ptr [rdi]
	mov ecx, 64
	xor edx, edx
	mov r9d, 7
1:	mov eax, ecx
	sub eax, edx
	shr eax
	lea r10d, [rdx + rax]
	cmp qword ptr [rsi + r10*8], r8
	jae 2f
	lea edx, [r10 + 1]
	jmp 3f
2:	mov ecx, r10d
3:	dec r9d
	je 4f
	cmp edx, ecx
	jb 1b
4:	ret
