# attack: a copy of a loaded pointer stands 8 bytes behind what was checked
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea rdx, [rax + 8]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rdx], 1
out:	ret
