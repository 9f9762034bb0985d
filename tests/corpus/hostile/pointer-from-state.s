# attack: stores through a pointer that was stored to the state and loaded again: anyone may have changed it
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
bad:	mov byte ptr [rax], 1
	ret
