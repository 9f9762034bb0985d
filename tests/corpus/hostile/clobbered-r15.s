# attack: returns with r15 changed on one path only
# property: P5
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 3
	jne out
	mov r15d, 1
bad:	ret
out:	ret
