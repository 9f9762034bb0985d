# shows: of two numbers in order the difference is not negative
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	cmp rcx, 63
	ja 4f
	cmp rdx, rcx
	ja 4f
	sub rcx, rdx
	mov byte ptr [rsi + rcx], 1
4:	ret
