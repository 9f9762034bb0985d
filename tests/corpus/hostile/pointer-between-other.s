# attack: one loaded pointer is above, and another below
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rdx, qword ptr [rsi + 8]
	cmp rdx, rsi
	jb out
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
