# attack: an import that the policy does not grant
# property: P2
# expect: V-70 import-not-allowed -
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, 1
	call qword ptr [rip + ward_clock@GOTPCREL]
	ret
