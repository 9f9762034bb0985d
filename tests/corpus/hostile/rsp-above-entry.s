# attack: raises rsp above the return address
# property: P3
# expect: V-40 stack-pointer-above-entry bad
# expect: V-23 return-with-unbalanced-stack after
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	add rsp, 8
	sub rsp, 8
after:	ret
