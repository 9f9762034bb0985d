# attack: the distance of two loaded numbers is compared
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov r8, qword ptr [rsi + 8]
	mov rcx, rax
	sub rcx, r8
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
