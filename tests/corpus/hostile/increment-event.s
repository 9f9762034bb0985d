# attack: read-modify-write of the event, which is granted for reading only
# property: P1
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	inc qword ptr [rdi + 8]
	ret
