# attack: the last constant that may be read is beyond the region
# property: P1
# expect: V-31 store-outside-region bad
# state: 9
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 3
	lea rdx, [rip + table]
	mov eax, dword ptr [rdx + rcx*4]
bad:	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 3, 1, 8, 9
