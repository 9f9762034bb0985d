# attack: what the event holds is no constant, though one has been loaded before
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
	movsx rax, byte ptr [rdx + rcx]
	mov byte ptr [rsi + rax], 1
	movsx rax, byte ptr [rdi + rcx]
bad:	mov byte ptr [rsi + rax], 1
	ret
	.section .rodata, "a"
table:	.byte 4, 5, 3, 0
