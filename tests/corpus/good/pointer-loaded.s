# shows: a pointer that was loaded from the state is used once its distance from the state has been compared
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
	cmp rcx, 56
	ja out
	mov qword ptr [rax], 1
out:	ret
