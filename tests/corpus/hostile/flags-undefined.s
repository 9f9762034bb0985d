# attack: branches on a flag that imul leaves undefined
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
	imul rax, rax, 3
bad:	je out
	mov byte ptr [rsi], 1
out:	ret
