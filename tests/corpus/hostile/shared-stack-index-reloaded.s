# attack: an index into the frame, in shared data, is checked and loaded again
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], 0
	cmp qword ptr [rip + shared], 7
	ja out
	mov rax, qword ptr [rip + shared]
bad:	mov byte ptr [rsp + rax - 8], 1
out:	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
