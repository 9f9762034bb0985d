# attack: a proof that lies: the caller is listed before the function that it calls
# property: P8
# expect: V-64 call-not-ordered bad
# state: 64
# proof: 2 @probe 0 1 .block @probe 0 0 @callee 0 1 .block @callee 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	call callee
	ret
callee:	ret
