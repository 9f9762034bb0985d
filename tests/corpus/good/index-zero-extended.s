# shows: the low half of an index is checked; writing 32 bits clears the upper half
# rules: V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp eax, 63
	ja out
	mov eax, eax
	mov byte ptr [rsi + rax], 1
out:	ret
