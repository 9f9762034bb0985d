# attack: stores to the event
# property: P1
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rdi], 0
	ret
