# attack: a loaded pointer that is less than the end: the last byte of what is stored may lie behind it
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
	lea rcx, [rsi + 64]
	cmp rax, rcx
	jae out
bad:	mov qword ptr [rax], 1
out:	ret
