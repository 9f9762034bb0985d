# attack: a loaded pointer may be as high as one byte behind the last place
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
	lea rcx, [rsi + 57]
	cmp rax, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
