# attack: twice the dividend, less seven times the quotient
# property: P1
# expect: V-31 store-outside-region bad
# state: 7
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	imul rcx, rax, 0x24924925
	shr rcx, 32
	mov edx, eax
	sub edx, ecx
	shr edx, 1
	add edx, ecx
	shr edx, 2
	lea ecx, [rdx*8]
	sub edx, ecx
	lea edx, [rdx + rax*2]
bad:	mov byte ptr [rsi + rdx], 1
	ret
