# attack: the greatest of signed constants lies beyond the region
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
	movsx rax, word ptr [rdx + rcx*2]
bad:	mov byte ptr [rsi + rax + 1], 1
	ret
	.section .rodata, "a"
	.p2align 1
table:	.word 14, -1, 15, 0
