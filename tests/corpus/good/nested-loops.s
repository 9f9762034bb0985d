# shows: two nested loops
# rules: V-61 V-62
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
outer:	xor ecx, ecx
inner:	mov byte ptr [rsi + rcx], 1
	inc rcx
	cmp rcx, 8
	jb inner
	inc rax
	cmp rax, 8
	jb outer
	ret
