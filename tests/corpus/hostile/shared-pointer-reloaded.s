# attack: a pointer in shared data that is checked and loaded again
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rip + shared]
	sub rax, rsi
	cmp rax, 56
	ja out
	mov rax, qword ptr [rip + shared]
bad:	mov byte ptr [rax], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
