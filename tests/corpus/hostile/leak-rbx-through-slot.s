# attack: stores rbx to the state through the stack
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	pop rax
bad:	mov qword ptr [rsi], rax
	ret
