# attack: one register is checked, and another that held the same before but no longer does is used
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, rax
	mov rcx, qword ptr [rdi + 8]
	cmp rax, 63
	ja out
bad:	mov byte ptr [rsi + rcx], 1
out:	ret
