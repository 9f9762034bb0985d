# attack: sbb of a register with itself may be minus one
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 1
	sbb rcx, rcx
bad:	mov byte ptr [rsi + rcx], 1
	ret
