# attack: a proof with claims about the entry
# property: P6
# expect: V-04 proof-malformed -
# state: 64
# proof: 1 @probe 0 1 .block @probe 0 1 rax pointer state 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rax], 1
	ret
