# attack: a counter that goes up or down
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 500
head:	cmp dword ptr [rsi], 5
	je down
	inc eax
	jmp over
down:	dec eax
over:	cmp eax, 1000
bad:	jb head
	ret
