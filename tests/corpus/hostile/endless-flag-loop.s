# attack: a loop that ends only when the state says so
# property: P8
# expect: V-61 back-edge-outside-loop bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
head:	mov rax, qword ptr [rsi]
	test rax, rax
bad:	je head
	ret
