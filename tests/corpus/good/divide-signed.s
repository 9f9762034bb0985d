# shows: divides signed numbers: extended by cqo, cdq and cwde, and bounded by themselves
# rules: V-53
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 10
	cqo
	idiv rcx
	mov qword ptr [rsi], rax
	mov ecx, dword ptr [rdi + 8]
	test ecx, ecx
	jle out
	mov rax, qword ptr [rdi]
	cdq
	idiv ecx
	add edx, ecx
	mov dword ptr [rsi + 8], edx
	movzx eax, byte ptr [rdi]
	cwde
	mov cl, 3
	idiv cl
	mov byte ptr [rsi + 12], ah
	mov rax, qword ptr [rdi]
	mov rdx, 3
	mov r8, 1000
	mul r8
	mov r8, 1001
	div r8
	mov qword ptr [rsi + 16], rdx
out:	ret
