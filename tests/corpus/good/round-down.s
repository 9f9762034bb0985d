# shows: a mask rounds down to a multiple of four; it stays above what the least value rounds to
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	add eax, 12
	and eax, -4
	mov dword ptr [rsi + rax - 12], 1
	and eax, 28
	mov dword ptr [rsi + rax - 12], 1
	ret
