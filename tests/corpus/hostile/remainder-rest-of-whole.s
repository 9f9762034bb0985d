# attack: the upper half of a product of the low half is taken from the whole
# property: P1
# expect: V-31 store-outside-region bad
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov eax, edx
	imul rcx, rax, 0x24924925
	shr rcx, 32
	sub rdx, rcx
	shr rdx, 30
bad:	mov byte ptr [rsi + rdx], 1
	ret
