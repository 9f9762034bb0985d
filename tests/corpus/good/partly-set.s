# shows: low bytes are combined in whole registers, and the low byte of the result is used; a mask within the byte sets the whole
# rules: V-50 V-35
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, byte ptr [rdi]
	mov dl, byte ptr [rdi + 8]
	or eax, edx
	lea ecx, [rax + rax*2 + 5]
	add ecx, edx
	mov byte ptr [rsi], cl
	mov r8, rax
	and r8d, 31
	mov byte ptr [rsi + r8], 1
	and edx, 63
	jne 1f
	or r9d, -1
	or r10, -1
	and r11d, 0
	mov qword ptr [rsi], r9
	mov qword ptr [rsi + 8], r10
	mov qword ptr [rsi + 16], r11
1:	ret
