# attack: what compare-and-exchange found is taken for what it was compared with, though it failed
# property: P1
# class: two-destinations
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 5
	lock cmpxchg qword ptr [rip + shared], rcx
bad:	mov byte ptr [rsi + rax], 1
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
