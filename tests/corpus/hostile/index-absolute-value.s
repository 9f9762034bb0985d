# attack: the absolute value of the least 32-bit number is negative
# property: P1
# class: signed-unsigned
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, eax
	neg ecx
	cmovs ecx, eax
	cmp ecx, 63
	jg out
bad:	mov byte ptr [rsi + rcx], 1
out:	ret
