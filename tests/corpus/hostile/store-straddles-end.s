# attack: an eight-byte store whose last byte lies after the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rsi + 57], 1
	ret
