# attack: seven times a number and 8, in the room of seven times it: the constant is not divided away
# property: P1
# expect: V-31 store-outside-region bad
# state: 348
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rax, [rcx*8 + 8]
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
