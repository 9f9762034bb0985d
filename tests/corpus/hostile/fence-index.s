# attack: what would be a fence, but with an index
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	lock or qword ptr [rsp + rax*8], 0
	ret
