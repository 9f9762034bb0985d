# attack: a loaded pointer turns out to point into the stack, at bytes that were never set
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov qword ptr [rsp - 8], rax
	lea rdx, [rsp - 16]
	mov rcx, rax
	sub rcx, rdx
	cmp rcx, 8
	ja out
bad:	mov rcx, qword ptr [rax]
out:	ret
