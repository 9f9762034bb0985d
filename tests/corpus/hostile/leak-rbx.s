# attack: stores the saved rbx to the state
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rsi], rbx
	ret
