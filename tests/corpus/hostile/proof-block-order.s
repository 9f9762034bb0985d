# attack: a proof whose blocks are not in an order in which branches go forward
# property: P8
# expect: V-61 back-edge-outside-loop second
# state: 64
# proof: 1 @probe 0 3 .block @probe 0 0 .block @third 0 0 .block @second 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	jmp second
second:	jmp third
third:	ret
