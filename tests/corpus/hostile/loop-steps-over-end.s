# attack: a loop that runs until two pointers are equal, and may step over that
# property: P8
# class: pointer-after-compare
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 31
	je out
	lea rdx, [rsi + rcx]
	mov rax, rsi
head:	add rax, 2
	cmp rax, rdx
bad:	jne head
out:	ret
