# attack: a call of a stub that leaves out the stack that its import needs
# property: P3
# expect: V-41 stack-too-deep probe
# state: 64
# allow: ward_clock
# max-stack: 71
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 0
	call ward_clock@PLT
	ret
