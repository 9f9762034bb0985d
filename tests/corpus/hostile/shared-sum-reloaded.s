# attack: adds what is in shared data to an index that is checked, after a locked addition of nothing to it
# property: P6
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rip + shared]
	cmp rax, 63
	ja out
	lock add qword ptr [rip + shared], 0
	jne out
	add rax, qword ptr [rip + shared]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
