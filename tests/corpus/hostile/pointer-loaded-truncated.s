# attack: a checked pointer is truncated to its low half
# property: P1
# class: zero-extension-32
# expect: V-30 store-through-number bad
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
	mov eax, eax
bad:	mov qword ptr [rax], 1
out:	ret
