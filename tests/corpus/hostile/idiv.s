# attack: signed division, whose overflow trap has no rule
# property: P10
# expect: V-10 instruction-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cqo
	mov ecx, 3
bad:	idiv rcx
	ret
