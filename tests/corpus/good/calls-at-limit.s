# shows: frames and a return address whose sum over a call is exactly the limit
# rules: V-41 V-64
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
	sub rsp, 2040
	add rsp, 2040
	ret
