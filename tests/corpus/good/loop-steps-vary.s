# shows: a loop that moves by one to four each time
# rules: V-62 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
1:	movzx ecx, byte ptr [rsi + rax]
	and ecx, 3
	lea eax, [rax + rcx + 1]
	cmp eax, 60
	jb 1b
	ret
