# attack: the index may be one beyond the table, where another constant stands
# property: P1
# expect: V-31 store-outside-region bad
# state: 4
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx ecx, word ptr [rdi]
	cmp ecx, 200
	ja out
	lea rdx, [rip + table]
	movzx eax, byte ptr [rdx + rcx]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
	.section .rodata, "a"
table:	.fill 199, 1, 2
	.fill 1, 1, 3
	.byte 4
