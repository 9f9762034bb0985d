# attack: fourteen times an index of at most 49, in a byte less than that takes
# property: P1
# expect: V-31 store-outside-region bad
# state: 686
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 4
	add rcx, rcx
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
