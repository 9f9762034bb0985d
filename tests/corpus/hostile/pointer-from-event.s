# attack: stores through an argument of the traced call
# property: P1
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	mov byte ptr [rax], 1
	ret
