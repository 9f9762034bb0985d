# attack: stores to the byte before the state
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [rsi - 1], 1
	ret
