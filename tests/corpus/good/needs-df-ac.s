# shows: rep movs from a place that is no multiple of eight
# rules: V-51 V-63
# state: 64
# needs: df-clear ac-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdi, rsi
	add rsi, 33
	mov ecx, 3
	rep movsq
	ret
