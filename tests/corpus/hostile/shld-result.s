# attack: takes the result of shld for small
# property: P1
# class: shift-by-width
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
	mov ecx, 1
	shld eax, ecx, 31
bad:	mov byte ptr [rsi + rax], 1
	ret
