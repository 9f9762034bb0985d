# attack: the distance from a field that is not aligned is that of an aligned place
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea r8, [rsi + 4]
	mov rcx, rax
	sub rcx, r8
	cmp rcx, 16
	jne out
bad:	lock inc qword ptr [rax]
out:	ret
