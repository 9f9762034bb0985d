# attack: a fence at the return address, whose flags show whether that address is zero, or even
# property: P9
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lock or qword ptr [rsp], 0
bad:	sete byte ptr [rsi]
	ret
