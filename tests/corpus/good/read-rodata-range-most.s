# shows: of 256 constants in rodata the range is known
# rules: V-31
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx ecx, byte ptr [rdi]
	lea rdx, [rip + table]
	movzx eax, byte ptr [rdx + rcx]
	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
table:	.fill 255, 1, 2
	.fill 1, 1, 3
