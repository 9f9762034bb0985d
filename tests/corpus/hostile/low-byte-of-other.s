# attack: the low byte of one register is compared, that of another is used
# property: P1
# expect: V-31 store-outside-region bad
# state: 114
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, dword ptr [rdi + 8]
	cmp al, 113
	ja out
	movzx ecx, cl
bad:	mov byte ptr [rsi + rcx], 1
out:	ret
