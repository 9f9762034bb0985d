# attack: the low byte is compared, two bytes are used
# property: P1
# expect: V-31 store-outside-region bad
# state: 114
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp al, 113
	ja out
	movzx eax, ax
bad:	mov byte ptr [rsi + rax], 1
out:	ret
