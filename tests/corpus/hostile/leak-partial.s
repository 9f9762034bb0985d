# attack: sets the low byte of a register and stores all of it
# property: P9
# class: partial-register
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, 1
bad:	mov qword ptr [rsi], rax
	ret
