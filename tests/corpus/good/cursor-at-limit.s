# shows: a cursor's way, and what is around it, take just what is allowed
# rules: V-63 V-65
# state: 256
# max-insns: 938
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
