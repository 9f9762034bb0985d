# attack: jumps through a register
# property: P6
# expect: V-27 jump-not-through-table bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	jmp rax
