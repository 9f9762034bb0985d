# attack: a divisor in shared data that isn't zero when it is tested
# property: P10
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp qword ptr [rip + shared], 0
	je out
	mov eax, 100
	xor edx, edx
bad:	div qword ptr [rip + shared]
	mov qword ptr [rsi], rax
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
