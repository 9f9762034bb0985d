# shows: a branch that is always taken, and a ud2 behind it
# rules: V-54 V-25
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 7
	jbe fine
	ud2
fine:	mov byte ptr [rsi + rax], 1
	ret
