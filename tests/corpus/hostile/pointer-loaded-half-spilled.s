# attack: the low half of a checked pointer is spilled and taken back whole
# property: P9
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov dword ptr [rsp - 8], eax
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
bad:	mov rax, qword ptr [rsp - 8]
	mov qword ptr [rsi], rax
out:	ret
