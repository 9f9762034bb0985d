# attack: the complement of a mask is no mask
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and rax, 63
	not rax
bad:	mov byte ptr [rsi + rax], 1
	ret
