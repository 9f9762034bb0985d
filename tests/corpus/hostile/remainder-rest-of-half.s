# attack: the upper half of a product of the whole is taken from the low half: what is left is below zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov r8, qword ptr [rdi]
	shr r8, 16
	movabs rax, 0x2492492492492493
	mul r8
	mov ecx, r8d
	sub rcx, rdx
	shr rcx, 46
bad:	mov byte ptr [rsi + rcx], 1
	ret
