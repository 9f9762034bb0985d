# attack: a rotation keeps every bit
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	rol rax, 6
bad:	mov byte ptr [rsi + rax], 1
	ret
