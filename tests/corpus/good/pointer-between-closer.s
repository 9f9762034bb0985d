# shows: a loaded pointer is compared with one place, then with one before it
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	cmp rax, rsi
	jb out
	lea rcx, [rsi + 60]
	cmp rax, rcx
	ja out
	lea rdx, [rsi + 56]
	cmp rax, rdx
	ja out
	mov qword ptr [rax], 1
out:	ret
