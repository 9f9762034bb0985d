# attack: the low half of the distance is compared
# property: P1
# class: bounds-32-64
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp ecx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
