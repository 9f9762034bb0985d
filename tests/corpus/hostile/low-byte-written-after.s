# attack: the low byte is compared, then written
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
	mov al, byte ptr [rdi + 8]
	movzx eax, al
bad:	mov byte ptr [rsi + rax], 1
out:	ret
