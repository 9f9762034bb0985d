# attack: a locked instruction
# property: P4
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lock inc qword ptr [rsi]
	ret
