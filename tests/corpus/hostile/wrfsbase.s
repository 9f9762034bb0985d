# attack: moves the thread pointer
# property: P4
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	wrfsbase rax
	ret
