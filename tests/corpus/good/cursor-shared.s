# shows: two loops in one another that move one index: together they go round as often as it has steps
# rules: V-65 V-62 V-63
# state: 256
# max-insns: 1002
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor ecx, ecx
head:	cmp byte ptr [rsi + rcx], 0
	je next
inner:	inc rcx
	cmp rcx, 99
	jae next
	cmp byte ptr [rsi + rcx], 1
go:	je inner
next:	inc rcx
	cmp rcx, 100
bad:	jb head
	ret
