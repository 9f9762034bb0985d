# shows: an index of 32 bits that is compared with a pointer is an index still
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp rax, rsi
	ja out
	cmp eax, 63
	ja out
	mov byte ptr [rsi + rax], 1
out:	ret
