# attack: a loop that goes on until the exchange succeeds, which others may prevent for ever
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rip + shared]
head:	lea rcx, [rax + 1]
	lock cmpxchg qword ptr [rip + shared], rcx
bad:	jne head
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
