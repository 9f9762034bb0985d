# attack: replaces one byte of its return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rax
bad:	mov byte ptr [rsp + 8], 1
	pop rcx
	ret
