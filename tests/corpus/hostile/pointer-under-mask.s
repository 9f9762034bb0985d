# attack: a pointer under a mask that covers its offset
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsi
	and rax, 63
bad:	mov qword ptr [rax], 1
	ret
