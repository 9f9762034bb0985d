# attack: the least of signed constants lies before the region
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
	movsx rax, byte ptr [rdx + rcx*1]
bad:	mov byte ptr [rsi + rax + 1], 1
	ret
	.section .rodata, "a"
table:	.byte 14, -1, -2, 0
