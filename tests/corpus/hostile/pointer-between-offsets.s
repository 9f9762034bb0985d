# attack: an offset into the state is known to be above, and the same offset into the event below
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
	cmp rax, rsi
	jb out
	lea rdx, [rdi + rcx]
	lea r8, [rdi + 8]
	cmp rdx, r8
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
