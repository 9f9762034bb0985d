# attack: what would be a fence, but clears the return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lock and qword ptr [rsp], 0
	ret
