# attack: what would be a fence, but sets a bit of the return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lock or qword ptr [rsp], 1
	ret
