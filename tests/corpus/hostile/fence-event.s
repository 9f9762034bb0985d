# attack: what would be a fence, but not at rsp: it writes to the event
# property: P1
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	lock or qword ptr [rdi], 0
	ret
