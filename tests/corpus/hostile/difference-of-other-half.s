# attack: the same with the larger value on the other side
# property: P10
# class: bounds-32-64
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov r9d, dword ptr [rdi + 8]
	mov r8d, ecx
	sub r8d, r9d
	lea r10, [r9 + 0x7fffffff]
	lea r10, [r10 + 0x7fffffff]
	lea r10, [r10 + 2]
	cmp rcx, r10
	je out
	mov eax, 7
	xor edx, edx
bad:	div r8d
	mov dword ptr [rsi], eax
out:	ret
