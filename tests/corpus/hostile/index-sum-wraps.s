# attack: index + 8 is checked against the size; the sum may have wrapped
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	lea rcx, [rax + 8]
	cmp rcx, 64
	ja out
bad:	mov qword ptr [rsi + rax], 1
out:	ret
