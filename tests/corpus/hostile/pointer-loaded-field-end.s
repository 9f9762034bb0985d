# attack: a loaded pointer is checked for its first field and used for its second
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
	mov qword ptr [rax], 1
bad:	mov qword ptr [rax + 8], 1
out:	ret
