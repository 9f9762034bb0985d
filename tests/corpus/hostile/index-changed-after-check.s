# attack: an index that is changed after its check
# property: P1
# class: pointer-after-compare
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 63
	ja out
	inc rax
bad:	mov byte ptr [rsi + rax], 1
out:	ret
