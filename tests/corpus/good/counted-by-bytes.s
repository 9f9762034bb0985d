# shows: an index that counts along with the bytes that are left
# rules: V-62 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 64
1:	test rcx, rcx
	je 2f
	sub rcx, 8
	mov qword ptr [rsi + rax*8], 1
	inc rax
	jmp 1b
2:	ret
