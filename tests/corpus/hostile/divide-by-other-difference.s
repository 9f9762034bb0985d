# attack: a difference of two numbers, but other numbers were compared as not equal
# property: P10
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov r8, qword ptr [rsi]
	mov r9, qword ptr [rsi + 8]
	mov rax, rcx
	sub rcx, r8
	cmp rax, r9
	je 1f
	xor edx, edx
bad:	div rcx
1:	ret
