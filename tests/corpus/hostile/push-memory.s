# attack: pushes from behind the event
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	push qword ptr [rdi + 112]
	pop rax
	ret
