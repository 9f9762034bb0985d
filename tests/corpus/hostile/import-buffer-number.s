# attack: an address from the event for a buffer
# property: P1
# expect: V-73 buffer-not-pointer bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	mov rdi, qword ptr [rdi + 8]
	mov esi, 8
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
