# attack: saves rbx across two stack slots, where it would look like bytes of its own
# property: P9
# class: slot-overwritten
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov qword ptr [rsp - 12], rbx
	ret
