# attack: a loaded pointer is compared with the first place, and loaded again
# property: P1
# class: pointer-after-compare
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
	lea rcx, [rsi + 56]
	cmp qword ptr [rsi], rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
