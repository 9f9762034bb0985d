# attack: no pointer for a buffer, though of length 0
# property: P2
# expect: V-73 buffer-not-pointer bad
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	xor edi, edi
	xor esi, esi
bad:	call qword ptr [rip + ward_read@GOTPCREL]
	ret
