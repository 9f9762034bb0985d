# shows: divides by an argument that is not zero
# rules: V-53
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	test rcx, rcx
	je out
	mov eax, 100
	xor edx, edx
	div rcx
	mov qword ptr [rsi], rax
out:	ret
