# attack: a loaded pointer is compared with the last place on only one edge into a block
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
	cmp qword ptr [rdi], 0
	je skip
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
skip:
bad:	mov qword ptr [rax], 1
out:	ret
