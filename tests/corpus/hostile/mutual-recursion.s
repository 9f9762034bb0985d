# attack: two functions that call each other
# property: P8
# expect: V-64 call-not-ordered bad
# expect: V-60 result-not-as-claimed leave
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	call other
	nop
	ret
other:
bad:	call probe
	nop
leave:	ret
