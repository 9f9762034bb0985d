# attack: an index in shared data that is checked, and loaded again: another thread may have changed it
# property: P1
# class: pointer-after-compare
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp qword ptr [rip + shared], 63
	ja out
	mov rax, qword ptr [rip + shared]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
