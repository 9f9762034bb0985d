# attack: a locked access that may lie across two cache lines
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lock inc qword ptr [rsi + 4]
	ret
