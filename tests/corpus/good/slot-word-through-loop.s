# shows: two bytes of a slot are set before a loop and read after it; the other six are not
# rules: V-51 V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov word ptr [rsp - 8], ax
	xor ecx, ecx
1:	mov byte ptr [rsi + rcx], 1
	inc rcx
	cmp rcx, 64
	jne 1b
	movzx eax, word ptr [rsp - 8]
	mov word ptr [rsi], ax
	ret
