# attack: a remainder by 28 indexes 27 bytes
# property: P1
# expect: V-31 store-outside-region bad
# state: 27
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, dword ptr [rdi]
	mov ecx, edx
	shr ecx, 2
	imul rcx, rcx, 0x24924925
	shr rcx, 32
	imul ecx, ecx, 28
	sub edx, ecx
bad:	mov byte ptr [rsi + rdx], 1
	ret
