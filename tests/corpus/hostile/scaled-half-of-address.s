# attack: of an address only the low half is taken from sixteen times a number of which it is the offset
# property: P1
# expect: V-31 store-outside-region bad
# state: 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rdx, [rsi + rcx]
	shl rcx, 4
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
out:
	ret
