# attack: an index that is checked against the size, inclusive
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 64
	ja out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
