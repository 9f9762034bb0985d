# attack: eight times a number and another one, less the first
# property: P1
# expect: V-31 store-outside-region bad
# state: 400
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	cmp rcx, 49
	ja out
	cmp rdx, 49
	ja out
	lea rax, [rdx + rcx*8]
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
