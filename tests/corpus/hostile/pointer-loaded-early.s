# attack: a loaded pointer is used before its distance is computed
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
bad:	mov qword ptr [rax], 1
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 56
	ja out
	mov qword ptr [rax], 1
out:	ret
