# attack: three times a number of 33 bits, computed in 32 bits, less the number, is below zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	shr rcx, 31
	lea eax, [rcx + rcx*2]
	sub rax, rcx
	shr rax, 32
bad:	mov byte ptr [rsi + rax], 1
	ret
