# shows: the same, where the inference finds the cursor
# rules: V-65
# state: 256
# max-insns: 1000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
	mov edx, 50
head:	cmp rcx, 98
	jae out
bad2:
inner:	inc rcx
	cmp byte ptr [rsi + rcx], 1
to:	je next
	cmp rcx, 98
go:	jb inner
next:	dec rdx
bad:	jne head
out:	ret
