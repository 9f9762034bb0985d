# shows: remainders of 32 bits by six and by seven whose multiples, computed in 32 bits, are taken from 64
# rules: V-31
# state: 7
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	mov eax, 0xaaaaaaab
	imul rax, rcx
	shr rax, 34
	lea eax, [rax + rax*2]
	add eax, eax
	sub rcx, rax
	mov byte ptr [rsi + rcx + 1], 1
	mov eax, dword ptr [rdi]
	imul rcx, rax, 0x24924925
	shr rcx, 32
	mov edx, eax
	sub edx, ecx
	shr edx, 1
	add edx, ecx
	shr edx, 2
	lea ecx, [rdx*8]
	sub ecx, edx
	sub rax, rcx
	mov byte ptr [rsi + rax], 1
	ret
