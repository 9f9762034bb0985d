# shows: fills an array on the stack and copies it to the state
# rules: V-51 V-63 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, rsi
	mov r8, qword ptr [rdi]
	lea rdi, [rsp - 64]
	xor eax, eax
	mov ecx, 8
	rep stosq
	and r8d, 63
	mov byte ptr [rsp + r8 - 64], 1
	lea rsi, [rsp - 64]
	mov rdi, rdx
	mov ecx, 8
	rep movsq
	ret
