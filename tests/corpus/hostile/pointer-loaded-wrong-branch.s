# attack: the branch that the check does not protect uses the loaded pointer
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	jbe out
bad:	mov qword ptr [rax], 1
out:	ret
