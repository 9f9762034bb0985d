# attack: frames whose sum over a call is larger than the limit
# property: P3
# expect: V-41 stack-too-deep probe
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 2048
	call callee
	add rsp, 2048
	ret
callee:
	sub rsp, 2048
	add rsp, 2048
	ret
