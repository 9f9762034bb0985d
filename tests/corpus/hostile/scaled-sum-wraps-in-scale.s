# attack: nine times a number of 31 bits, computed in 32 bits
# property: P1
# expect: V-31 store-outside-region bad
# state: 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	shr ecx, 1
	lea eax, [rcx + rcx*8]
	sub rax, rcx
	shr rax, 32
bad:	mov byte ptr [rsi + rax], 1
	ret
