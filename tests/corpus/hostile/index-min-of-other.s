# attack: a minimum chosen by the comparison of another number
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov r8d, dword ptr [rdi + 8]
	mov eax, 1
	cmp ecx, 2
	cmovae eax, ecx
	cmp r8d, 63
	mov edx, 63
	cmovb edx, eax
bad:	mov byte ptr [rsi + rdx], 1
	ret
