# attack: an index in the state is checked, then loaded again: another thread may have changed it
# property: P1
# class: pointer-after-compare
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, 63
	ja out
	mov rax, qword ptr [rsi]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
