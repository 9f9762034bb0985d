# attack: an index that is checked by a signed comparison, and may be negative
# property: P1
# class: signed-unsigned
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 63
	jg out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
