# attack: an index that is checked after its use
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
bad:	mov byte ptr [rsi + rax], 1
	cmp rax, 63
	ja out
	mov byte ptr [rsi], 1
out:	ret
