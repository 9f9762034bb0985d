# attack: a locked access behind the state
# property: P1
# expect: V-31 load-outside-region bad
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	lock xadd qword ptr [rsi + 64], rax
	ret
