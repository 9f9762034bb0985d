# attack: moves a pointer to the state to rsp
# property: P4
# expect: V-40 stack-pointer-unknown bad
# expect: V-42 callee-saved-register-changed after
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rbp, rsi
bad:	leave
after:	ret
