# shows: of a few constants in rodata the range is known, and those between that the index skips do not count
# rules: V-31
# state: 9
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 3
	lea rdx, [rip + table]
	mov eax, dword ptr [rdx + rcx*8]
	mov byte ptr [rsi + rax - 1], 1
	movzx eax, byte ptr [rdx + rcx*8 + 4]
	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 3, 0x4d02, 1, 0x4d07, 9, 0x4d08, 5, 0x4d00
