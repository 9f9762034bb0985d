# attack: 28 times the quotient of a fourth of a number is taken from that fourth
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
	mov r8d, ecx
	imul rcx, rcx, 0x24924925
	shr rcx, 32
	imul ecx, ecx, 28
	mov edx, r8d
	sub edx, ecx
bad:	mov byte ptr [rsi + rdx], 1
	ret
