# attack: the length of a buffer is in shared data, checked and loaded again
# property: P2
# expect: V-73 buffer-outside-region bad
# allow: ward_read
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, rsi
	cmp qword ptr [rip + shared], 64
	ja out
	mov rsi, qword ptr [rip + shared]
bad:	call qword ptr [rip + ward_read@GOTPCREL]
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
