# attack: adc after a comparison of another register: zero may stay zero
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, dword ptr [rdi + 8]
	and eax, 63
	cmp ecx, 1
	adc eax, 0
bad:	mov byte ptr [rsi + rax - 1], 1
	ret
