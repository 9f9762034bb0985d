# shows: a check of an index that can't fail, before a ud2 that is never reached
# rules: V-54
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 8
	jae failed
	mov byte ptr [rsi + rax], 1
	ret
failed:	ud2
