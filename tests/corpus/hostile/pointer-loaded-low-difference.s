# attack: the low halves of a loaded pointer and the state are subtracted
# property: P1
# class: bounds-32-64 zero-extension-32
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub ecx, esi
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
