# attack: a stack pointer that is as far from the entry's as a number can be
# property: P3
# expect: V-40 stack-pointer-misaligned bad
# expect: V-23 return-with-unbalanced-stack end
# expect: V-42 callee-saved-register-changed end
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbp
	movabs rax, 0x8000000000000000
	lea rbp, [rsp + rax + 8]
bad:	leave
end:	ret
