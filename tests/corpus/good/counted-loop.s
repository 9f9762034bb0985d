# shows: a loop with a constant bound
# rules: V-61 V-62 V-63 V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
head:	mov byte ptr [rsi + rax], 1
	inc rax
	cmp rax, 64
	jb head
	ret
