# shows: an index in shared data, loaded once, checked and used
# rules: V-31 V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rip + shared]
	cmp rax, 63
	ja out
	mov byte ptr [rsi + rax], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
