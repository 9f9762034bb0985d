# attack: inc leaves the carry of the host
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
	inc rax
bad:	setb byte ptr [rsi]
	ret
