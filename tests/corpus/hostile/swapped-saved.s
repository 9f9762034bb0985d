# attack: restores rbx and rbp crosswise
# property: P5
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	push rbp
	mov ebx, 1
	mov ebp, 1
	pop rbx
	pop rbp
bad:	ret
