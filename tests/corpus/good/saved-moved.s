# shows: keeps a saved register in another register
# rules: V-42 V-50
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rbx
	mov ebx, 1
	mov qword ptr [rsi], rbx
	mov rbx, rax
	ret
