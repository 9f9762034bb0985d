# attack: a proof with two blocks at one address
# property: P6
# expect: V-04 proof-malformed here
# expect: V-20 block-inside-instruction here
# state: 64
# proof: 1 @probe 0 3 .block @probe 0 0 .block @here 0 0 .block @here 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
