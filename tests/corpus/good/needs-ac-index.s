# shows: multiples of four, of eight bytes each
# rules: V-31
# state: 64
# needs: ac-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 7
	inc qword ptr [rsi + rax*4]
	ret
