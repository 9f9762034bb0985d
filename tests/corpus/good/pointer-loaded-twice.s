# shows: the distance is computed twice, and the second compared
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	lea r8, [rsi + 8]
	mov rdx, rax
	sub rdx, r8
	cmp rdx, 48
	ja out
	mov qword ptr [rax], 1
	mov qword ptr [rsi + rcx], 1
out:	ret
