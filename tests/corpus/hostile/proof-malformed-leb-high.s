# attack: a proof with a number of more than 64 bits
# property: P6
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe 0 2 .block @probe 0 0 .block @here 0 1 rax number 1 b:128 b:128 b:128 b:128 b:128 b:128 b:128 b:128 b:128 2 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
