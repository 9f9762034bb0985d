# attack: a loop that runs as often as the argument says
# property: P8
# expect: V-63 too-many-instructions head
# says: more than 2^64
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	test rcx, rcx
	je out
head:	dec rcx
bad:	jne head
out:	ret
