# shows: a ticket that all threads draw, of which the low bits are an index
# rules: V-31 V-36
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, 1
	lock xadd qword ptr [rip + shared], rcx
	and ecx, 15
	lea rax, [rip + shared]
	lock add qword ptr [rax + rcx*8], 1
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
