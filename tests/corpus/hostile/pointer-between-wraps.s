# attack: a loaded pointer is compared with a pointer so far behind the state that it may wrap around
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jb out
	mov rcx, -8
	add rcx, rsi
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
