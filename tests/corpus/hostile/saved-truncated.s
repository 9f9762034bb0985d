# attack: restores only the low half of rbx
# property: P5
# class: partial-register
# expect: V-51 load-of-unset-stack mid
# expect: V-42 callee-saved-register-changed bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
mid:	mov ebx, dword ptr [rsp]
	add rsp, 8
bad:	ret
