# shows: compare-and-exchange of shared data, tried so many times and then given up
# rules: V-62 V-63 V-36
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edx, 64
	mov rax, qword ptr [rip + shared]
head:	lea rcx, [rax + 1]
	lock cmpxchg qword ptr [rip + shared], rcx
	je out
	dec edx
	jne head
	inc qword ptr [rsi]
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
