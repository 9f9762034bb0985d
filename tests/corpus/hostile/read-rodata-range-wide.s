# attack: a load is wider than the constants, and takes the next one along
# property: P1
# expect: V-31 store-outside-region bad
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 3
	lea rdx, [rip + table]
	movzx eax, word ptr [rdx + rcx]
bad:	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
table:	.byte 3, 0, 1, 0, 2, 0
