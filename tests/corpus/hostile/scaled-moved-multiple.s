# attack: of what is one less than sixteen times a number, the number taken off is no multiple: it may be -1
# property: P1
# expect: V-31 store-outside-region bad
# state: 1000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 4
	dec rax
	add rcx, rcx
	sub rax, rcx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
