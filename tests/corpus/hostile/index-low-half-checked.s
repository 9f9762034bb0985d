# attack: the low half of an index is checked, all of it is used
# property: P1
# class: zero-extension-32 bounds-32-64
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp eax, 63
	ja out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
