# attack: eight times a number less 8, less it, in 32 bits: below zero it is large
# property: P1
# expect: V-31 store-outside-region bad
# state: 400
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	cmp ecx, 49
	ja out
	lea eax, [rcx*8]
	sub eax, 8
	sub eax, ecx
bad:	mov byte ptr [rsi + rax], 1
out:
	ret
