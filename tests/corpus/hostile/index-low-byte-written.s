# attack: the low byte of an unchecked index is set, all of it is used
# property: P1
# class: partial-register
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov al, 3
bad:	mov byte ptr [rsi + rax], 1
	ret
