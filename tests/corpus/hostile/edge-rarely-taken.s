# attack: behind a branch that is taken but for one value the index leaves the region
# property: P1
# expect: V-31 store-outside-region small
# state: 8
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 6
	jbe small
	mov rax, -1
	cmp byte ptr [rsi], 1
	je small
	mov rax, -2
small:	mov byte ptr [rsi + rax], 1
	ret
