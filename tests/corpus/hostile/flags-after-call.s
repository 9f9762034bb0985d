# attack: flags do not survive a call
# property: P9
# class: flags-clobbered
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 1
	call callee
bad:	je out
	nop
out:	ret
callee:	ret
