# shows: a frame of exactly the limit
# rules: V-41
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 4096
	add rsp, 4096
	ret
