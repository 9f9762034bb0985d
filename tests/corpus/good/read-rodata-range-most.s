# shows: of 64 constants in rodata the range is known
# rules: V-31
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx ecx, byte ptr [rdi]
	cmp ecx, 63
	ja out
	lea rdx, [rip + table]
	movzx eax, byte ptr [rdx + rcx]
	mov byte ptr [rsi + rax], 1
out:	ret
	.section .rodata, "a"
table:	.fill 63, 1, 2
	.fill 1, 1, 3
