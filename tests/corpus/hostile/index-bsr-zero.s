# attack: bsr of zero leaves its destination undefined
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, qword ptr [rdi + 8]
	bsr rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
