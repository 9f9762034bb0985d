# attack: moves to rsp if a condition holds
# property: P4
# class: cmov-to-rsp
# expect: V-12 operand-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, rsp
	cmp dword ptr [rsi], 1
bad:	cmovb rsp, rax
	ret
