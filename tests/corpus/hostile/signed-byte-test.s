# attack: the sign of a byte says nothing of a zero-extended word
# property: P1
# class: signed-unsigned
# expect: V-31 store-outside-region bad
# state: 128
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx eax, word ptr [rdi]
	test al, al
	js out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
