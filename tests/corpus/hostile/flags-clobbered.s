# attack: an index is compared, but another instruction sets the flags before the branch
# property: P1
# class: flags-clobbered
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 5
	cmp rax, 64
	add ecx, 1
	jae out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
