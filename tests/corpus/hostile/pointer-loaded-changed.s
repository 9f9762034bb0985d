# attack: a loaded pointer is moved after its distance was computed, and before that is compared
# property: P1
# class: pointer-after-compare
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
	add rax, 8
	cmp rcx, 56
	ja out
bad:	mov qword ptr [rax], 1
out:	ret
