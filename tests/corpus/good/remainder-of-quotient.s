# shows: the second digit of a number: the remainder by ten of its quotient by ten
# rules: V-31
# state: 10
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov ecx, 0xcccccccd
	imul rax, rcx
	shr rax, 35
	mov rdx, rax
	imul rax, rcx
	shr rax, 35
	lea eax, [rax + rax*4]
	add eax, eax
	sub edx, eax
	mov byte ptr [rsi + rdx], 1
	ret
