# attack: the branch that the check does not protect uses the index
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 63
	jbe out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
