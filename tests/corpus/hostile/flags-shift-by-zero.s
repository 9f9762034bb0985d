# attack: a shift by zero leaves the flags of the host
# property: P9
# class: shift-by-width
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov rcx, qword ptr [rdi + 8]
	shl rax, cl
bad:	je out
	mov byte ptr [rsi], 1
out:	ret
