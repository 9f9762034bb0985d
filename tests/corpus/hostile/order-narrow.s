# attack: the order of two low bytes is taken for that of the registers
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	cmp rcx, 63
	ja 4f
	cmp dl, cl
	jae 4f
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
4:	ret
