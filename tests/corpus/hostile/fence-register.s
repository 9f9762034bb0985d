# attack: what would be a fence, but the operand is a register
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	lock or qword ptr [rsp], rax
	ret
