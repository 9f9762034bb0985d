# attack: a pointer in the state is checked, then loaded again: another thread may have changed it
# property: P1
# class: pointer-after-compare
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
	mov rax, qword ptr [rsi]
bad:	mov qword ptr [rax], 1
out:	ret
