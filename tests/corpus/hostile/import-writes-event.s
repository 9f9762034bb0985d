# attack: has an import write to the event
# property: P1
# expect: V-73 buffer-read-only bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
