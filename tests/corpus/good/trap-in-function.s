# shows: a function that always traps, called only where control never gets
# rules: V-54 V-64
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 7
	ja failed
	mov byte ptr [rsi + rax], 1
	ret
failed:	mov edi, 3
	call panic
	ud2
panic:	mov eax, edi
	test eax, eax
	je other
	ud2
other:	ud2
