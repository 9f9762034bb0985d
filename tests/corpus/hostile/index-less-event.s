# attack: a number less the address of the event as an index
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 63
	sub rax, rdi
bad:	mov byte ptr [rsi + rax], 1
	ret
