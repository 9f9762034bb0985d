# shows: a loaded pointer is compared with the first place and the last
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
	lea rcx, [rsi + 56]
	cmp rax, rcx
	ja out
	mov qword ptr [rax], 1
out:	ret
