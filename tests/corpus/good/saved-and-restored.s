# shows: saves, uses and restores all six
# rules: V-42 V-35 V-23
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push rbp
	push r12
	push r13
	push r14
	push r15
	mov ebx, 1
	mov ebp, 2
	mov r12d, 3
	mov r13d, 4
	mov r14d, 5
	mov r15d, 6
	mov qword ptr [rsi], rbx
	pop r15
	pop r14
	pop r13
	pop r12
	pop rbp
	pop rbx
	ret
