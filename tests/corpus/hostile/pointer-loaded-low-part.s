# attack: the lowest bytes of a loaded pointer and the state are subtracted
# property: P1
# class: partial-register
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub cx, si
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
