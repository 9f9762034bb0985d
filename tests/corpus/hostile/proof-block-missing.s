# attack: a proof that does not name a block
# property: P6
# expect: V-21 branch-to-unproven bad
# state: 64
# proof: 1 @probe 0 1 .block @probe 0 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	test rax, rax
bad:	je out
	nop
out:	ret
