# attack: pops to behind the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push 1
bad:	pop qword ptr [rsi + 57]
	ret
