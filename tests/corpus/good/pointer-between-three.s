# shows: a loaded pointer is compared with three places; the second comparison adds nothing
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
	ja out
	lea rdx, [rsi + 60]
	cmp rax, rdx
	ja out
	cmp rax, rsi
	jb out
	mov qword ptr [rax], 1
out:	ret
