# shows: the distance of a loaded pointer is compared with one place, which is aligned
# rules: V-30 V-31 V-36
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 16
	jne out
	lock inc qword ptr [rax]
out:	ret
