# attack: a pointer loses its low byte to a constant and is used
# property: P1
# class: partial-register
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	mov al, 0
bad:	mov byte ptr [rax], 1
	ret
