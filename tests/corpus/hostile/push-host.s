# attack: saves a host value, then pops it into the state
# property: P9
# expect: V-35 store-of-host-value bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
bad:	pop qword ptr [rsi]
	ret
