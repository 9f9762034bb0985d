# attack: the factor is too great for a fourth of a number
# property: P1
# expect: V-31 store-outside-region bad
# state: 28
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, dword ptr [rdi]
	mov ecx, edx
	shr ecx, 2
	imul rcx, rcx, 0x24924955
	shr rcx, 32
	imul ecx, ecx, 28
	sub edx, ecx
bad:	mov byte ptr [rsi + rdx], 1
	ret
