# shows: a loaded pointer: first it is compared with the end, then the place before the first one is compared with it
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov qword ptr [rsp - 8], rax
	lea rcx, [rsi + 57]
	cmp rcx, rax
	jbe out
	lea rdx, [rsi + 7]
	cmp rdx, rax
	jae out
	mov rdx, qword ptr [rsp - 8]
	mov qword ptr [rdx - 8], 1
out:	ret
