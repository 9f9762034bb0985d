# attack: a locked addition across the border of two words
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 7
	lea rcx, [rip + shared]
bad:	lock add qword ptr [rcx + rax], 1
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
