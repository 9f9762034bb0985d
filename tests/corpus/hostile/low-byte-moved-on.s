# attack: the low byte is compared, then the register moves on by one
# property: P1
# expect: V-31 store-outside-region bad
# state: 114
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp al, 113
	ja out
	add rax, 1
	movzx eax, al
bad:	mov byte ptr [rsi + rax], 1
out:	ret
