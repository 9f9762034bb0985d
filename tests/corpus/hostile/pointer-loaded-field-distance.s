# attack: a loaded pointer's distance from a field in the middle is compared as if it were from the start
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea r8, [rsi + 16]
	mov rcx, rax
	sub rcx, r8
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
