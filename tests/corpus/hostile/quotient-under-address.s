# attack: a quotient from an address whose offset alone is a mask of low bits: no multiple of another quotient
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 0xcccccccd
	imul rax, rcx
	shr rax, 34
	lea r8, [rsi - 4]
	and rax, r8
	lea rax, [rax + rax*4]
	sub rcx, rax
bad:	mov byte ptr [rsi + rcx], 1
	ret
