# attack: one loaded pointer is checked and another used
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rsi + 8]
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rdx], 1
out:	ret
