# attack: an id from the event
# property: P2
# expect: V-73 id-too-large bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdi, qword ptr [rdi]
bad:	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
