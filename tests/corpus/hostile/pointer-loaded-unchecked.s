# attack: the distance of a loaded pointer is computed and never compared
# property: P1
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
bad:	mov qword ptr [rax], 1
	ret
