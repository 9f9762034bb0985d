# shows: a frame pointer, and leave
# rules: V-40 V-42
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbp
	mov rbp, rsp
	push rbx
	sub rsp, 24
	mov qword ptr [rbp - 32], 1
	push qword ptr [rbp - 32]
	pop qword ptr [rsi]
	mov rbx, qword ptr [rbp - 8]
	leave
	ret
