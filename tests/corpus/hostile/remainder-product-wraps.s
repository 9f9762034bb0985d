# attack: the product of 32 bits loses its upper half
# property: P1
# expect: V-31 store-outside-region bad
# state: 6
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	imul eax, ecx, 43691
	shr eax, 18
	lea eax, [rax + rax*2]
	add eax, eax
	sub ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
