# shows: sets, exchanges and reads the second byte of a register
# rules: V-12 V-50
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	xor ah, ah
	or ah, 0
	movzx ecx, ax
	xchg al, ah
	mov byte ptr [rsi], ah
	shr ecx, 2
	mov byte ptr [rsi + rcx], 1
	ret
