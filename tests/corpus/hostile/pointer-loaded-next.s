# attack: the element of a list is checked before the loop, and its successors never
# property: P1
# expect: V-30 load-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rsi
	cmp rcx, 48
	ja out
	mov edx, 10
next:
bad:	mov rax, qword ptr [rax]
	dec edx
	jne next
out:	ret
