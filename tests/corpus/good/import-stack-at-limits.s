# shows: the import that takes stacks costs its whole walk, exactly
# rules: V-41 V-63 V-71
# state: 64
# allow: ward_stack_take
# max-insns: 131077
# max-stack: 1296
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
