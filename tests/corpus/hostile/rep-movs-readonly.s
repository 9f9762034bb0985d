# attack: copies to the event
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, 8
bad:	rep movsb
	ret
