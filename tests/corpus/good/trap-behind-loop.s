# shows: a loop that nothing reaches, and a ud2 after it
# rules: V-54 V-61
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
	ret
failed:	mov ecx, 4
again:	dec ecx
	jne again
	ud2
