# attack: the product is added to the number itself, not to half of what it leaves
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
	add ecx, eax
	shr ecx, 2
	lea edx, [rcx*8]
	sub ecx, edx
	add ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
