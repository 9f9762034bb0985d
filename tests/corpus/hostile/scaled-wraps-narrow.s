# attack: sixteen times a number in 32 bits, where it has more, less the number: what is left of 2^32 sixteenths of it is below zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, ecx
	shl eax, 4
	sub rax, rcx
	shr rax, 32
bad:	mov byte ptr [rsi + rax], 1
	ret
