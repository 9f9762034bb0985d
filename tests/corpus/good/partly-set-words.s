# shows: sums and multiples of registers whose low words alone are set have low words that are set
# rules: V-50 V-35
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ax, word ptr [rdi]
	mov dx, word ptr [rdi + 8]
	lea ecx, [rax + rdx*4 + 7]
	mov word ptr [rsi], cx
	mov r8b, byte ptr [rdi + 16]
	lea rcx, [rcx + r8]
	mov byte ptr [rsi + 2], cl
	ret
