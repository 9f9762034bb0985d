# shows: a list whose elements lie in the state: where the loop begins the place is a pointer first, then a number
# rules: V-30 V-31 V-60 V-62
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rax, [rsi + 16]
	mov edx, 100
next:	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 48
	ja out
	inc dword ptr [rax + 8]
	mov rax, qword ptr [rax]
	dec edx
	jne next
out:	ret
