# attack: a loop that is entered at two places
# property: P8
# expect: V-61 loop-entered-past-head first
# expect: V-62 loop-not-bounded second
# expect: V-60 claim-not-implied second
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 10
	cmp rax, 1
bad:	je second
first:	dec ecx
second:	dec ecx
	cmp ecx, 10
	jb first
	ret
