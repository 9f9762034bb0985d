# shows: xor of a register with itself is zero, whatever it held
# rules: V-50 V-42
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	sub ecx, ecx
	mov qword ptr [rsi], rax
	mov qword ptr [rsi + 8], rcx
	ret
