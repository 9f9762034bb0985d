# shows: zero-extends the second byte of a register
# rules: V-12
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	movzx ecx, ah
	mov qword ptr [rsi], rcx
	ret
