# attack: jumps through a register
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	jmp rax
