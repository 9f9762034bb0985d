# shows: adc after a comparison with one makes zero one, and nothing else changes
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 63
	cmp eax, 1
	adc eax, 0
	mov byte ptr [rsi + rax - 1], 1
	mov byte ptr [rsi + rax], 1
	ret
