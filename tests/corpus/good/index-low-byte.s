# shows: a byte is zero-extended, then used
# rules: V-31
# state: 256
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx eax, byte ptr [rdi]
	mov byte ptr [rsi + rax], 1
	ret
