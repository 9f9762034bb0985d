# attack: flags are clobbered between the comparison of a distance and the branch
# property: P1
# class: flags-clobbered
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
	cmp rcx, 56
	cmp rcx, rcx
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
