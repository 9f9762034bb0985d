# attack: more signed constants than the verifier looks at
# property: P1
# expect: V-31 store-outside-region bad
# state: 16
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx ecx, word ptr [rdi]
	cmp ecx, 256
	ja out
	lea rdx, [rip + table]
	movsx rax, byte ptr [rdx + rcx]
bad:	mov byte ptr [rsi + rax + 1], 1
out:	ret
	.section .rodata, "a"
table:	.byte 1
	.fill 255, 1, 2
	.byte -2
