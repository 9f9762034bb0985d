# shows: a loaded pointer is compared with a place and equal to it
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea rcx, [rsi + 56]
	cmp rax, rcx
	jne out
	mov qword ptr [rax], 1
out:	ret
