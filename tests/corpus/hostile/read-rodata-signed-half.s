# attack: signed constants are extended to 32 bits only
# property: P1
# expect: V-31 store-outside-region bad
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 3
	lea rdx, [rip + table]
	movsx eax, byte ptr [rdx + rcx]
bad:	mov byte ptr [rsi + rax + 1], 1
	ret
	.section .rodata, "a"
table:	.byte 14, -1, 3, 0
