# attack: branches on flags from before an import's call
# property: P9
# expect: V-52 read-of-unset-flags bad
# state: 64
# allow: ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	cmp qword ptr [rdi], 0
	mov edi, 0
	call qword ptr [rip + ward_clock@GOTPCREL]
bad:	je out
out:	ret
