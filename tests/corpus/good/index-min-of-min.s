# shows: a minimum of a maximum is within both
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 1
	cmp ecx, 2
	cmovae eax, ecx
	cmp ecx, 63
	mov edx, 63
	cmovb edx, eax
	mov byte ptr [rsi + rdx - 1], 1
	mov byte ptr [rsi + rdx], 1
	ret
