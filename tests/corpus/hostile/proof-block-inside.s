# attack: a proof with a block inside an instruction
# property: P6
# expect: V-20 block-inside-instruction long+1
# state: 64
# proof: 1 @probe 0 2 .block @probe 0 0 .block @long+1 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
long:	mov eax, 0x050f
	ret
