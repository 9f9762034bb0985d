# shows: a product of bounded numbers
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 3
	imul eax, eax, 21
	mov byte ptr [rsi + rax], 1
	ret
