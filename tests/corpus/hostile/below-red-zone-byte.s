# attack: stores to the byte below the red zone
# property: P3
# class: rsp-in-address
# expect: V-33 stack-below-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [rsp - 129], 1
	ret
