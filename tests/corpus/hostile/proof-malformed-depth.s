# attack: a proof with a depth that is no multiple of eight
# property: P6
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe 0 2 .block @probe 0 0 .block @here 4 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
