# attack: push of memory has no row
# property: P4
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	push qword ptr [rdi]
	pop rax
	ret
