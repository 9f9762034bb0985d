# attack: calls itself
# property: P8
# expect: V-64 self-recursion bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call probe
	ret
