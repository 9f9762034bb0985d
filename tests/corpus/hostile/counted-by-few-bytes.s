# attack: an index that counts along with the bytes that are left, four at a time
# property: P1
# expect: V-31 store-outside-region bad
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
	sub rcx, 4
bad:	mov qword ptr [rsi + rax*8], 1
	inc rax
	jmp 1b
2:	ret
