# attack: a proof with a ghost of a loop that does not exist
# property: P6
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe 0 2 .block @probe 0 0 .block @here 0 1 rax number 128 0 s:0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
here:	ret
