# shows: behind a branch that is always taken there is no edge, so the claims at its target need not hold
# rules: V-60
# state: 8
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 7
	jbe small
	mov rax, -1
	cmp byte ptr [rsi], 1
	je small
	mov rax, -2
small:	mov byte ptr [rsi + rax], 1
	ret
