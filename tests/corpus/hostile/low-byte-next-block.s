# attack: the low byte was compared on one edge into the block, but not on the other
# property: P1
# expect: V-31 store-outside-region bad
# state: 114
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, dword ptr [rdi + 8]
	test ecx, ecx
	je use
	cmp al, 113
	ja out
use:	movzx eax, al
bad:	mov byte ptr [rsi + rax], 1
out:	ret
