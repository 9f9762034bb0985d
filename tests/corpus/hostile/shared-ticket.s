# attack: a ticket that all threads draw is taken for the one that this thread has put there
# property: P1
# class: two-destinations
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rip + shared], 0
	mov ecx, 1
	lock xadd qword ptr [rip + shared], rcx
bad:	mov byte ptr [rsi + rcx], 1
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
