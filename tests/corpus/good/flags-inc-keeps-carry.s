# shows: inc keeps the carry of the compare before it
# rules: V-52
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 5
	inc rax
	setb byte ptr [rsi]
	ret
