# attack: shifts until memory says so: nothing shifted stays nothing
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
1:	shr rax, 1
	cmp qword ptr [rsi], 0
bad:	jne 1b
	ret
