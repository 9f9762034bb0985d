# attack: the distance of a loaded pointer is compared as a signed number: it may lie before the state
# property: P1
# class: signed-unsigned
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
	jg out
bad:	mov qword ptr [rax], 1
out:	ret
