# attack: pops its return address, which moves the stack pointer above it
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	pop rax
	ret
