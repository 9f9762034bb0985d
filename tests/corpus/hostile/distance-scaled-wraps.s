# attack: a pointer that is four times a number away may have wrapped around the address space that often
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
	js out
	lea rcx, [rsi + rax*4]
	cmp rcx, rsi
	jne out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
