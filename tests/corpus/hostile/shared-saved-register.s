# attack: exchanges a register of the host's with shared data, where other threads read it
# property: P9
# class: two-destinations
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
bad:	xchg qword ptr [rip + shared], rbx
	pop rbx
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
