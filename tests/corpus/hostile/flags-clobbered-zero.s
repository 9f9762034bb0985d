# attack: an index is compared for equality, but dec sets the zero flag before the branch
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
	cmp rax, 7
	dec ecx
	jne out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
