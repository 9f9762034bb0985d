# attack: a walk of the stack that needs more stack than is left
# property: P3
# expect: V-41 stack-too-deep probe
# state: 64
# allow: ward_stack_take
# max-stack: 1295
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 127
	call qword ptr [rip + ward_stack_take@GOTPCREL]
	pop rsi
	ret
