# attack: a proof without the entry
# property: P6
# expect: V-25 unreached-code probe
# state: 64
# proof: 1 @callee .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @callee 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	ret
callee:	ret
