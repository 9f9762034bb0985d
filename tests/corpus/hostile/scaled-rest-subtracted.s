# attack: eight times a number, less the number that is 3 less: up to 3 more than seven times it
# property: P1
# expect: V-31 store-outside-region bad
# state: 344
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 3
	sub rcx, 3
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
