# attack: the distance is computed with the wrong sign
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rsi
	sub rcx, rax
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
