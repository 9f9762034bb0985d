# shows: bsr of a number that is not zero is at most 63
# rules: V-31 V-50
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	or rax, 1
	bsr rcx, rax
	mov byte ptr [rsi + rcx], 1
	ret
