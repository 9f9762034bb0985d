# attack: the rest of a product that was shifted by one less
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
	shr rcx, 31
	mov edx, eax
	sub edx, ecx
	shr edx, 1
	add edx, ecx
	shr edx, 2
	lea ecx, [rdx*8]
	sub edx, ecx
	add edx, eax
bad:	mov byte ptr [rsi + rdx], 1
	ret
