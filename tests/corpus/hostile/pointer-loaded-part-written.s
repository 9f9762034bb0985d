# attack: the low byte of a loaded pointer is written between the distance and its comparison
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
	sub rcx, rsi
	mov al, 8
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
