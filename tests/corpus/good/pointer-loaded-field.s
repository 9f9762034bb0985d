# shows: the distance is counted from a field in the middle, moved, and compared in another block; the pointer is used at another constant
# rules: V-30 V-31 V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea r8, [rsi + 16]
	mov rcx, rax
	sub rcx, r8
	cmp qword ptr [rdi], 0
	je 1f
	mov qword ptr [rsi], 0
1:	add rcx, 8
	cmp rcx, 32
	ja out
	mov qword ptr [rax + 8], 1
out:	ret
