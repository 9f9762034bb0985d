# attack: moves to rsp what rbp held before
# property: P3
# expect: V-40 stack-pointer-unknown bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	leave
	ret
