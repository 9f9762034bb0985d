# attack: jumps to an import without restoring rbx
# property: P5
# expect: V-42 callee-saved-register-changed bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ebx, 1
	mov edi, 0
bad:	jmp qword ptr [rip + ward_clock@GOTPCREL]
