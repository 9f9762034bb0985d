# attack: a probe of a process takes another task's stack
# property: P2
# expect: V-71 import-not-in-profile -
# state: 64
# allow: ward_user_stack_take
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 127
	call qword ptr [rip + ward_user_stack_take@GOTPCREL]
	ret
