# attack: a loaded pointer is checked on only one of two edges into a block
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp qword ptr [rdi], 0
	je skip
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
skip:
bad:	mov qword ptr [rax], 1
out:	ret
