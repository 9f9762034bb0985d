# shows: what a function needs that is called
# rules: V-64 V-63
# state: 64
# needs: df-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call callee
	ret
	.type callee, @function
callee:
	mov rdi, rsi
	mov ecx, 8
	xor eax, eax
	rep stosq
	ret
