# attack: one path to the trap can't be taken, the other can
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 8
	jae bad
	cmp eax, 7
	je bad
	mov byte ptr [rsi + rax], 1
	ret
bad:	ud2
