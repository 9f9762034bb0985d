# shows: an index of 32 bits from which a pointer was subtracted is an index still
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	mov rcx, rax
	sub rcx, rsi
	mov qword ptr [rsi], rcx
	cmp eax, 63
	ja out
	mov byte ptr [rsi + rax], 1
out:	ret
