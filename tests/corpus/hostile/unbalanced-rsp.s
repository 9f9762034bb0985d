# attack: returns with the stack pointer below its return address
# property: P3
# expect: V-23 return-with-unbalanced-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
	push rax
bad:	ret
