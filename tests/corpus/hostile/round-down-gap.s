# attack: a mask with a gap does not round down: 16 becomes 0, not 16
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	add eax, 12
	and eax, 12
bad:	mov byte ptr [rsi + rax - 8], 1
	ret
