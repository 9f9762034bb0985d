# shows: what an exchange takes out of shared data divides, and is a length, once it was checked itself
# rules: V-53 V-73
# allow: ward_read
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	xchg qword ptr [rip + shared], rcx
	test rcx, rcx
	je out
	mov eax, 100
	xor edx, edx
	div rcx
	mov qword ptr [rsi], rax
	cmp rcx, 64
	ja out
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	mov rsi, rcx
	call qword ptr [rip + ward_read@GOTPCREL]
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
