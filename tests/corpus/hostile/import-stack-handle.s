# attack: takes a stack's handle for an index of the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# allow: ward_stack_take
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 16
	call qword ptr [rip + ward_stack_take@GOTPCREL]
	pop rsi
bad:	mov byte ptr [rsi + rax], 1
	ret
