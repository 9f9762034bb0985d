# attack: turns over a bit of the event
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	btc qword ptr [rdi], 3
	ret
