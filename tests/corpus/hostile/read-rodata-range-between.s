# attack: constants are read at any byte, also across two of them
# property: P1
# expect: V-31 store-outside-region bad
# state: 9
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 7
	lea rdx, [rip + table]
	mov eax, dword ptr [rdx + rcx]
bad:	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 3, 1, 8
