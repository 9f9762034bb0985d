# attack: sixteen times one number less twice another one
# property: P1
# expect: V-31 store-outside-region bad
# state: 690
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov rdx, qword ptr [rdi + 8]
	cmp rcx, 49
	ja out
	cmp rdx, 49
	ja out
	shl rcx, 4
	add rdx, rdx
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
out:
	ret
