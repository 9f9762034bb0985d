# attack: a pointer whose offset looks like a mask is none
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 31
	add eax, 32
	lea rcx, [rsi + 63]
	and rax, rcx
bad:	mov byte ptr [rsi + rax - 32], 1
	ret
