# shows: a cursor that the outer loop keeps on the stack
# rules: V-65
# state: 256
# max-insns: 1200
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
	mov qword ptr [rsp - 8], rcx
to:	je next
	cmp rcx, 98
go:	jb inner
next:	mov rcx, qword ptr [rsp - 8]
	dec rdx
bad:	jne head
out:	ret
