# attack: bt with memory: the bit number moves the address
# property: P1
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	bt qword ptr [rsi], rax
	ret
