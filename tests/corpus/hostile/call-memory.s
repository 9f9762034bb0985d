# attack: calls through the state
# property: P6
# expect: V-22 indirect-branch bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call qword ptr [rsi]
	ret
