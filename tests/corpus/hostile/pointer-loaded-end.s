# attack: a loaded pointer may be so far from the state that the last byte of what is stored lies behind it
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
	cmp rcx, 57
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
