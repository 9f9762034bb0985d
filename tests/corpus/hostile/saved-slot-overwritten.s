# attack: overwrites one byte of the slot that holds rbx, then pops it
# property: P5
# class: slot-overwritten
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov byte ptr [rsp], 0
	pop rbx
bad:	ret
