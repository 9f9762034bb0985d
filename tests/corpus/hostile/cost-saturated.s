# attack: a loop that may take longer than any number says, with the greatest limit that there is
# property: P8
# expect: V-63 too-many-instructions head
# says: more than 2^64
# max-insns: 18446744073709551615
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	xor eax, eax
head:	inc rax
	mov byte ptr [rsi], 1
	cmp rax, rcx
	jb head
	ret
