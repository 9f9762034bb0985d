# attack: of a checked pointer no alignment is known
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
bad:	lock inc qword ptr [rax]
out:	ret
