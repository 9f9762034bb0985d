# attack: a sign-extended byte may be negative
# property: P1
# class: sign-extension
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movsx rax, byte ptr [rdi]
	cmp rax, 63
	jg out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
